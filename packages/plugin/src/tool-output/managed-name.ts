// The unguessable names of our files.

/** Letters of the host's own ids. */
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** 62^22 names: nobody guesses one. */
const RANDOM_LETTERS = 22;

/** Random bytes that `managedName` takes. */
export const NAME_BYTES = RANDOM_LETTERS;

const OURS = /^tool_[0-9a-f]{12}-sr-[0-9A-Za-z]{22}$/;

/**
 * `tool_`, the time and `-sr-` with random letters. The host's names begin alike, which makes its
 * clean-up find the file; they never hold a hyphen, which makes ours known from theirs. Nothing of
 * a tool, a call or a session goes into a name.
 * @param random `NAME_BYTES` bytes from a cryptographic source.
 */
export function managedName(nowMs: number, random: Uint8Array): string {
  const time = (BigInt(Math.trunc(nowMs)) * 4096n) & 0xffff_ffff_ffffn;
  const letters = Array.from(random, (byte) => ALPHABET[byte % ALPHABET.length]).join("");
  return `tool_${time.toString(16).padStart(12, "0")}-sr-${letters}`;
}

export function isManagedName(name: string): boolean {
  return OURS.test(name);
}
