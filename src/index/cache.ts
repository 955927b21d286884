/**
 * The extractions that all projects of a user share, in packs in one folder: by the
 * digest of a file's bytes, its language and the extractor's version.
 *
 * Errs: toward parsing. Whatever is wrong with the folder or with a file in it, a run
 * gives what it would have given without; what it cannot keep it does not keep.
 */
import { closeSync, lstatSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { EXTRACTOR_VERSION } from "../model/extraction.ts";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";
import {
  openPack,
  PACK,
  packName,
  PackReader,
  PackWriter,
  PART,
  type Pack,
} from "./cache-pack.ts";
import { BYTES_PER_MB, isAged, sweep, type KeptFile } from "./cache-sweep.ts";
import { decodeKept, encodeKept, type Kept } from "./cache-value.ts";
import { uniqueDigits } from "./unique.ts";
import { userFolder, userFolderPath } from "./user-folder.ts";

/** What the threads of a run need of it; plain data. */
export interface SharedCache {
  readonly folder: string;
  /** Begins the names of what this run writes. */
  readonly run: string;
  readonly packs: readonly Pack[];
  /** Names of packs whose entries are kept anew when they are used. */
  readonly aged: readonly string[];
  /** How many bytes may be kept more. */
  readonly room: number;
}

/** The folder for it, made where it is missing; undefined where there is to be none. @spec extractions-are-shared */
export const cacheFolder = (
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined =>
  env["CODEGRAPH_EXTRACTION_CACHE"] === "0"
    ? undefined
    : userFolder("extractions", userFolderPath(env));

type CacheLimits = Pick<
  Limits,
  | "CACHE_MB"
  | "CACHE_SMALL_MB"
  | "CACHE_SMALL_PACKS"
  | "CACHE_PART_MINUTES"
  | "CACHE_REFRESH_DAYS"
>;

const VERSION = `e${EXTRACTOR_VERSION}`;
const FORMAT = `codegraph extractions 1.${EXTRACTOR_VERSION}`;
/** Of this or another version: `e1-` and the names of run and pack. */
const OURS = /^e\d+-[0-9a-f]{8}-[0-9a-f]{8}\.(?:pack|part)$/;

/** The cache as one run uses it: open it, hand `shared` to whoever parses, close it. */
export class ExtractionCache {
  readonly shared: SharedCache;
  private readonly damaged: readonly string[];
  private readonly limits: CacheLimits;

  /** @spec extractions-are-shared extractions-are-bounded */
  constructor(folder: string, limits: CacheLimits = fromSpec) {
    // Runs that were killed have tidied up nothing.
    const files = keptFiles(folder);
    const { remove } = sweep(files, limits);
    for (const { name } of remove) discard(folder, name);
    const own = files
      .filter((file) => file.isOurs && !file.isPart && !remove.includes(file))
      .sort((a, b) => a.ageMs - b.ageMs);
    const packs = own.map(({ name }) => openPack(folder, name, FORMAT));
    this.damaged = own
      .filter((_, i) => packs[i] === "damaged")
      .map(({ name }) => name);
    this.limits = limits;
    this.shared = {
      folder,
      run: `${VERSION}-${uniqueDigits()}`,
      packs: packs.filter((pack) => typeof pack === "object"),
      aged: own.filter((file) => isAged(file, limits)).map(({ name }) => name),
      room: Math.floor((limits.CACHE_MB * BYTES_PER_MB) / 2),
    };
  }

  /** Tidies up. What threads have not finished is gone. @spec extractions-are-bounded extractions-do-no-harm */
  close(): void {
    const { folder, run, packs } = this.shared;
    for (const { fd } of packs) closeSync(fd);
    for (const name of this.damaged) discard(folder, name);
    for (const { name, isPart } of keptFiles(folder))
      if (isPart && name.startsWith(run)) discard(folder, name);
    const { join: small, remove } = sweep(keptFiles(folder), this.limits);
    for (const { name } of remove) discard(folder, name);
    joinPacks(folder, run, small);
  }
}

/** One thread's way to it. Without a cache nothing is found and nothing kept. */
export class Extractions {
  private readonly reader: PackReader;
  private readonly writer: PackWriter | undefined;
  private readonly aged: ReadonlySet<string>;

  constructor(shared: SharedCache | undefined) {
    this.reader = new PackReader(shared?.packs ?? []);
    this.aged = new Set(shared?.aged);
    this.writer =
      shared &&
      new PackWriter(shared.folder, packName(shared.run), FORMAT, shared.room);
  }

  /** @spec extractions-are-shared extractions-do-no-harm */
  find(digest: string, language: string): Kept | undefined {
    const key = { digest, kind: language };
    const found = this.reader.find(key);
    if (!found) return undefined;
    try {
      const kept = decodeKept(found.value);
      if (this.aged.has(found.pack.name)) this.writer?.put(key, found.value);
      return kept;
    } catch {
      return undefined;
    }
  }

  /** @spec extractions-are-shared */
  keep(digest: string, language: string, kept: Kept): void {
    this.writer?.put({ digest, kind: language }, encodeKept(kept));
  }

  /** From here on others find what was kept. */
  finish(): void {
    this.writer?.finish();
  }
}

/** Our files in the folder, links and other things under our names included. */
function keptFiles(folder: string): KeptFile[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  const now = Date.now();
  return names.flatMap((name): KeptFile[] => {
    if (!OURS.test(name)) return [];
    // Between the two another run may have taken it away.
    const stat = look(join(folder, name));
    if (!stat || stat.isDirectory()) return [];
    return [
      {
        name,
        bytes: stat.size,
        ageMs: now - stat.mtimeMs,
        isPart: name.endsWith(PART),
        isOurs: name.startsWith(`${VERSION}-`),
      },
    ];
  });
}

function look(path: string) {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

function discard(folder: string, name: string): void {
  try {
    rmSync(join(folder, name), { force: true });
  } catch {}
}

/** Writes what small packs hold into one, as old as the youngest of them, and removes them. */
function joinPacks(
  folder: string,
  run: string,
  files: readonly KeptFile[],
): void {
  if (files.length === 0) return;
  const packs = files
    .map(({ name }) => openPack(folder, name, FORMAT))
    .filter((pack) => typeof pack === "object");
  const name = packName(run);
  const writer = new PackWriter(folder, name, FORMAT, Infinity);
  const reader = new PackReader(packs);
  for (const pack of packs)
    pack.heads.forEach((_, i) => {
      const entry = reader.entry(pack, i);
      if (entry) writer.copy(pack, i, entry);
    });
  for (const { fd } of packs) closeSync(fd);
  if (!writer.finish()) return;
  const written = new Date(
    Date.now() - Math.min(...files.map(({ ageMs }) => ageMs)),
  );
  try {
    utimesSync(join(folder, `${name}${PACK}`), written, written);
  } catch {}
  for (const file of files) discard(folder, file.name);
}
