// Derives refs from ids: short names that the model can pass back to a tool.
import { hashText } from "../context/canonical.ts";

/**
 * The kinds: `r` is a part of the history, `h` a segment of it, `m` a memory, `n` a note, `c` a commit.
 */
export type RefKind = "r" | "h" | "m" | "n" | "c";

/** A ref as it stands in stubs and hits: `r:k3f9ab`. */
export type Ref = string & { readonly __brand: "ref" };

/** Crockford's alphabet, which leaves out letters that look like digits or like each other. */
const REF_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
/** Six characters are 30 bits: among a session's 5,000 parts, two share a ref in one of 90 sessions. */
const REF_LENGTH = 6;
const BITS_PER_CHARACTER = 5n;

/** Derives the ref of an id, the same in every process and version. */
export function deriveRef(kind: RefKind, id: string): Ref {
  let rest = BigInt(`0x${hashText(id)}`);
  let name = "";
  while (name.length < REF_LENGTH) {
    name += REF_ALPHABET[Number(rest & 31n)];
    rest >>= BITS_PER_CHARACTER;
  }
  return `${kind}:${name}` as Ref;
}

const REF_PATTERN = new RegExp(`^(?:([rhmnc]):)?([${REF_ALPHABET}]{${REF_LENGTH}})$`);

/**
 * Reads a ref as a model writes it: in capitals, in brackets or without its kind; null if the text isn't a
 * ref.
 * @param bare the kind to assume if none is written
 */
export function readRef(written: string, bare: RefKind = "r"): Ref | null {
  const inside = written.trim().replace(/^[[`"'(<]+|[\]`"')>.,]+$/g, "");
  const [, kind = bare, name] =
    REF_PATTERN.exec(inside.toLowerCase().replaceAll("o", "0").replaceAll(/[il]/g, "1")) ?? [];
  return name === undefined ? null : (`${kind}:${name}` as Ref);
}
