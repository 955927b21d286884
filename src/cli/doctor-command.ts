/** `codegraph doctor`. */
import { isOurs, judge, type Finding } from "../hosts/doctor.ts";
import { examine } from "../hosts/examine.ts";
import type { Host, Places, Scope } from "../hosts/host.ts";
import { commandFor, isDetected, versionOf } from "../hosts/machine.ts";
import { say } from "../model/wording.ts";
import { wordings } from "../spec.gen.ts";
import { hasData } from "../store/folder.ts";
import { printLines, type Invocation } from "./main.ts";
import { plain } from "./plain.ts";
import { ownScript } from "./program.ts";
import { hostIds, hostsNamed, placesOf, shortened } from "./targets.ts";
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
  const places = placesOf(positionals[0]);
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
            ...(hasData(places.root) ? [] : [wordings.INSTALL_INIT]),
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

function told({ host, version, findings }: Examined, places: Places) {
  return [
    version === undefined ? host.title : `${host.title} ${version}`,
    ...findings.flatMap(({ mark, path, says, mend }) => [
      `  ${mark.padEnd("FAIL".length)}  ${path === undefined ? "" : `${shortened(path, places)}: `}${plain(says)}`,
      ...(mend === undefined ? [] : [`        ${plain(mend)}`]),
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
