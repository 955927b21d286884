/** The identity of a file's bytes. */
import { hash } from "node:crypto";

/** `length:first 16 hex digits of SHA-1`, over the bytes as they lie on disk. @spec file-fingerprint */
export const fingerprint = (bytes: Uint8Array): string =>
  `${bytes.length}:${hash("sha1", bytes, "hex").slice(0, 16)}`;
