// Makes message ids as the host does.

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_CHARS = 14;
const PER_MS = 4096n;
const LAST_48_BITS = (1n << 48n) - 1n;

/**
 * Ids as the host makes them (OpenCode 1.18.33, `Identifier.ascending`): twelve hex digits of
 * milliseconds and a counter, cut to 48 bits, then fourteen random characters.
 */
export class HostIds {
  #lastMs = 0;
  #counter = 0;

  constructor(
    private readonly deps: {
      /** Milliseconds since 1970. */
      readonly now: () => number;
      /** Fills the array with random bytes. */
      readonly random: (bytes: Uint8Array) => void;
    },
  ) {}

  message(): string {
    return this.#next("msg");
  }

  part(): string {
    return this.#next("prt");
  }

  #next(prefix: "msg" | "prt"): string {
    const nowMs = this.deps.now();
    this.#counter = nowMs === this.#lastMs ? this.#counter + 1 : 1;
    this.#lastMs = nowMs;
    const stamp = (BigInt(nowMs) * PER_MS + BigInt(this.#counter)) & LAST_48_BITS;
    const bytes = new Uint8Array(RANDOM_CHARS);
    this.deps.random(bytes);
    const tail = Array.from(bytes, (byte) => BASE62[byte % BASE62.length]).join("");
    return `${prefix}_${stamp.toString(16).padStart(12, "0")}${tail}`;
  }
}
