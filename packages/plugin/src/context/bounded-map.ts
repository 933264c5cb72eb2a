// A map that keeps its newest entries and drops the one that was set longest ago.

export class BoundedMap<Key, Value> extends Map<Key, Value> {
  constructor(
    private readonly most: number,
    /** Called with each entry that is dropped to make space for a newer one. */
    private readonly gone: (value: Value, key: Key) => void = () => undefined,
  ) {
    super();
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    if (this.size <= this.most) return this;
    for (const [oldest, former] of this) {
      if (this.size <= this.most) break;
      this.delete(oldest);
      this.gone(former, oldest);
    }
    return this;
  }

  /** Returns the value under `key`; if there is none, makes and stores it first. */
  getOrCreate(key: Key, make: () => Value): Value {
    const known = this.get(key);
    if (known !== undefined) return known;
    const made = make();
    this.set(key, made);
    return made;
  }
}
