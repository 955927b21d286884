/** Runs tasks beside each other, but only so many at a time. */
export type InTurn = <T>(task: () => Promise<T>) => Promise<T>;

/** The first that asks is the first that runs. @spec doctor-is-bounded */
export function turns(most: number): InTurn {
  let free = most;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((go) => waiting.push(go));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
