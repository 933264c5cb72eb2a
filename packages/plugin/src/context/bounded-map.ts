// A map that keeps the newest of its entries: what was set longest ago goes.

export class BoundedMap<Key, Value> extends Map<Key, Value> {
  constructor(
    private readonly most: number,
    /** Hears of what goes for something newer. */
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

  /** Made once, and given again as long as it is kept. */
  getOrCreate(key: Key, make: () => Value): Value {
    const known = this.get(key);
    if (known !== undefined) return known;
    const made = make();
    this.set(key, made);
    return made;
  }
}
