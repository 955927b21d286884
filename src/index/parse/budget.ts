/** A count of steps that a piece of work may take. */

export interface Budget {
  /** Asked at each step; true once it was asked more often than there are steps. */
  (): boolean;
  over: boolean;
}

/** @spec extraction-limits */
export function budget(steps: number): Budget {
  let asked = 0;
  const ask: Budget = Object.assign(() => (ask.over = ++asked > steps), {
    over: false,
  });
  return ask;
}
