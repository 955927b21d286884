/** `codegraph doctor`. */
import { homedir } from "node:os";
import { relative, sep } from "node:path";
import { isOurs, judge, type Finding } from "../hosts/doctor.ts";
import { examine } from "../hosts/examine.ts";
import type { Host, Places, Scope } from "../hosts/host.ts";
import {
  commandFor,
  isDetected,
  placesHere,
  versionOf,
} from "../hosts/machine.ts";
import { say } from "../model/wording.ts";
import { wordings } from "../spec.gen.ts";
import { hasData } from "../store/folder.ts";
import { nearestProject } from "../store/place.ts";
import { existing } from "./existing.ts";
import { printLines, type Invocation } from "./main.ts";
import { plain } from "./plain.ts";
import { ownScript } from "./program.ts";
import { hostIds, hostsNamed } from "./targets.ts";
import { VERSION } from "./version.ts";

interface Examined {
  readonly host: Host;
  readonly version: string | undefined;
  readonly findings: readonly Finding[];
}

/** @spec doctor-command cli-json */
export async function doctor({
  positionals,
  values,
}: Invocation): Promise<number> {
  const home = homedir();
  const root =
    positionals[0] === undefined
      ? (nearestProject(process.cwd(), home) ?? process.cwd())
      : existing(positionals[0]);
  const places = placesHere(root, home);
  const examined: Examined[] = [];
  for (const host of hostsNamed("doctor", values.target)) {
    const one = await examinedOne(host, places);
    if (one) examined.push(one);
  }
  const failed = examined.some(({ findings }) =>
    findings.some(({ mark }) => mark === "FAIL"),
  );
  printLines(
    values.json === true
      ? [JSON.stringify({ healthy: !failed, hosts: examined.map(asJson) })]
      : examined.length === 0
        ? [say(wordings.INSTALL_NO_HOST, { names: hostIds().join(", ") })]
        : [
            ...examined.flatMap((one) => told(one, places)),
            ...(hasData(root) ? [] : [wordings.INSTALL_INIT]),
          ],
  );
  return failed ? 1 : 0;
}

/** None of a host that is neither here nor wired. */
async function examinedOne(
  host: Host,
  places: Places,
): Promise<Examined | undefined> {
  const version = await versionOf(host, places);
  const wishes = (scope: Scope) => ({
    ...commandFor(scope, ownScript(), places),
    version,
    platform: places.platform,
  });
  const found = await examine(host, places, wishes);
  return isDetected(host, places) || found.files.some(isOurs)
    ? { host, version, findings: judge(found, VERSION) }
    : undefined;
}

function told({ host, version, findings }: Examined, { home }: Places) {
  const shortened = (path: string) =>
    plain(
      path.startsWith(home + sep) ? `~${sep}${relative(home, path)}` : path,
    );
  return [
    version === undefined ? host.title : `${host.title} ${version}`,
    ...findings.flatMap(({ mark, path, says, mend }) => [
      `  ${mark.padEnd("FAIL".length)}  ${path === undefined ? "" : `${shortened(path)}: `}${plain(says)}`,
      ...(mend === undefined ? [] : [`        ${shortened(mend)}`]),
    ]),
  ];
}

const asJson = ({ host, version, findings }: Examined) => ({
  host: host.id,
  version: version ?? null,
  findings: findings.map(({ mark, path, says, mend }) => ({
    mark,
    path: path ?? null,
    says,
    mend: mend ?? null,
  })),
});
