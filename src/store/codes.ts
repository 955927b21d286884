/** The kinds of SQLite's errors that are told apart here. */

export const SQLITE_BUSY = 5;
export const SQLITE_LOCKED = 6;
export const SQLITE_NOMEM = 7;
export const SQLITE_READONLY = 8;
export const SQLITE_IOERR = 10; // exempt spec-values-are-imported: a code of SQLite's
export const SQLITE_FULL = 13; // exempt spec-values-are-imported: a code of SQLite's
export const SQLITE_CANTOPEN = 14; // exempt spec-values-are-imported: a code of SQLite's
export const SQLITE_NOT_A_DATABASE = 26; // exempt spec-values-are-imported: a code of SQLite's

/** The kind of an error; what is above its low byte says where it happened. 0 where SQLite did not throw it. */
export const sqliteCode = (error: unknown): number =>
  ((error as { errcode?: number }).errcode ?? 0) & 0xff;
