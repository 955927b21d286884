/** What is known of the clients that call, by the name that they give themselves. */
import { entries } from "../spec.gen.ts";

const ROWS = entries["ownership-of-clients"];

export type ClientRow = (typeof ROWS)["OTHER"];

/**
 * The row of a client. Errs: toward knowing nothing of it.
 * @spec ownership-of-clients
 */
export function rowOf(client: string | undefined): ClientRow {
  const name = client?.toLowerCase();
  return (
    Object.values(ROWS).find(
      ({ names }) => name !== undefined && names.includes(name),
    ) ?? ROWS.OTHER
  );
}
