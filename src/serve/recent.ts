/**
 * Values by key: those that were used last, as far as they weigh no more than `most`
 * together.
 */
export class Recent<K, V> {
  private readonly most: number;
  private readonly weigh: (value: V) => number;
  /** The longest ago first. */
  private readonly values = new Map<K, V>();
  private weight = 0;

  constructor(most: number, weigh: (value: V) => number = () => 1) {
    this.most = most;
    this.weigh = weigh;
  }

  /** It is not used by that. */
  peek(key: K): V | undefined {
    return this.values.get(key);
  }

  /** The value that is known, or else the one that `make` gives. */
  get(key: K, make: () => V): V {
    return this.put(key, this.values.get(key) ?? make());
  }

  /** Takes the place of what was there. Gives the value. */
  put(key: K, value: V): V {
    this.drop(key);
    this.values.set(key, value);
    this.weight += this.weigh(value);
    for (const old of this.values.keys()) {
      if (this.weight <= this.most) break;
      this.drop(old);
    }
    return value;
  }

  private drop(key: K): void {
    const value = this.values.get(key);
    if (value === undefined) return;
    this.values.delete(key);
    this.weight -= this.weigh(value);
  }
}
