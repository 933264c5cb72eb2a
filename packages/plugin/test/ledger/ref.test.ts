import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { deriveRef, type RefKind, readRef } from "../../src/ledger/ref.ts";

const kinds = fc.constantFrom<RefKind>("r", "h", "m", "n", "c");

describe("refs", () => {
  test("an id's ref is the same in every version: it stands in stored texts", () => {
    expect(deriveRef("r", "prt_0001")).toBe("r:q6xjta" as never);
    expect(deriveRef("h", "prt_0001")).toBe("h:q6xjta" as never);
  });

  test("a ref is read back as it was written, whatever its id", () => {
    fc.assert(
      fc.property(kinds, fc.string(), (kind, id) => {
        const ref = deriveRef(kind, id);
        expect(ref).toMatch(/^[rhmnc]:[0-9a-hjkmnp-tv-z]{6}$/);
        expect(readRef(ref)).toBe(ref);
      }),
    );
  });

  test("of 5,000 ids of a session nearly all have a ref of their own", () => {
    const refs = new Set(Array.from({ length: 5_000 }, (_, n) => deriveRef("r", `prt_${n}`)));
    expect(refs.size).toBeGreaterThanOrEqual(4_999);
  });

  test.each([
    ["[r:2sq8ck]", "r:2sq8ck"],
    [" `R:2SQ8CK`. ", "r:2sq8ck"],
    ["2sq8ck", "r:2sq8ck"],
    ["h:2sq8ck", "h:2sq8ck"],
    ["r:Oil8ck", "r:0118ck"],
  ])("%p is read as %s", (written, ref) => {
    expect(readRef(written)).toBe(ref as never);
  });

  test("any number of brackets and quotes around one are left out", () => {
    expect(readRef("(([`r:2sq8ck`]))...")).toBe("r:2sq8ck" as never);
  });

  test("one without its kind is of the kind that is asked for", () => {
    expect([readRef("2sq8ck", "m"), readRef("r:2sq8ck", "m")]).toEqual([
      "m:2sq8ck",
      "r:2sq8ck",
    ] as never);
  });

  test.each([
    "",
    "r:",
    "r:2sq8c",
    "r:2sq8ckk",
    "x:2sq8ck",
    "r:2sq8cu",
    "prt_0001",
    "r:2sq8ck r:2sq8ck",
    "r:2s(q8ck",
    "r:2s)q8ck",
  ])("%p is no ref", (written) => {
    expect(readRef(written)).toBeNull();
  });
});
