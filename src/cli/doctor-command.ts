/** `codegraph doctor`. */
import { constants } from "node:os";
import { isOurs, judge, type Finding } from "../hosts/doctor.ts";
import { examine } from "../hosts/examine.ts";
import type { Host, Places, Scope } from "../hosts/host.ts";
import { commandFor, isDetected, versionOf } from "../hosts/machine.ts";
import { turns, type InTurn } from "../hosts/turns.ts";
import { say } from "../model/wording.ts";
import { limits as fromSpec, wordings, type Limits } from "../spec.gen.ts";
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
  // What was started ends with this program.
  for (const [signal, number] of Object.entries(ENDING))
    process.once(signal, () => process.exit(BY_SIGNAL + number));
  const inTurn = turns(atOnce());
  const examined = (
    await Promise.all(
      hostsNamed("doctor", values.target).map((host) =>
        examinedOne(host, places, inTurn),
      ),
    )
  ).filter((one) => one !== undefined);
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

/** @spec doctor-is-bounded */
export const atOnce = (limits: Pick<Limits, "DOCTOR_AT_ONCE"> = fromSpec) =>
  limits.DOCTOR_AT_ONCE;

/** Signals that end a program, and what a shell adds to their numbers. */
const ENDING = Object.freeze({
  SIGHUP: constants.signals.SIGHUP,
  SIGINT: constants.signals.SIGINT,
  SIGTERM: constants.signals.SIGTERM,
});
const BY_SIGNAL = 128; // exempt spec-values-are-imported: POSIX

/** None of a host that is neither here nor wired. */
async function examinedOne(
  host: Host,
  places: Places,
  inTurn: InTurn,
): Promise<Examined | undefined> {
  const version = await versionOf(host, places);
  const wishes = (scope: Scope) => ({
    ...commandFor(scope, ownScript(), places),
    version,
    platform: places.platform,
  });
  const found = await examine(host, places, wishes, inTurn);
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
