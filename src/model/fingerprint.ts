/** The identity of a file's bytes. */
import { hash } from "node:crypto";

/** SHA-1 over the bytes as they lie on disk: 40 hex digits. */
export const digestOf = (bytes: Uint8Array): string =>
  hash("sha1", bytes, "hex");

/** `length:first 16 hex digits of SHA-1`, over the bytes as they lie on disk. @spec file-fingerprint */
export const fingerprint = (
  bytes: Uint8Array,
  digest: string = digestOf(bytes),
): string => `${bytes.length}:${digest.slice(0, 16)}`;
