import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  estimateFoldedTokens,
  renderFoldedText,
  SEGMENT_KINDS,
  TIERS,
  type TieredSegment,
} from "../../src/history/folded-text.ts";
import { deriveRef } from "../../src/ledger/ref.ts";
import { estimateTokens } from "../../src/ledger/tokens.ts";

const unit = fc.constantFrom("a", " ", "\n", "<", "system-reminder>", "價", "\ud800", "\u{1f600}");
const said = fc.string({ unit, maxLength: 40 });
const aged: fc.Arbitrary<TieredSegment> = fc.record({
  tier: fc.constantFrom(null, ...TIERS),
  segment: fc.record({
    ref: fc.string().map((id) => deriveRef("h", id)),
    messageCount: fc.integer({ min: 1, max: 2_000 }),
    kind: fc.constantFrom(...SEGMENT_KINDS),
    importance: fc.integer({ min: 0, max: 100 }),
    ageTokens: fc.nat(),
    texts: fc.record({ full: said, short: said, brief: said, line: said }),
  }),
});

test("what a folded history takes is known without its text", () => {
  fc.assert(
    fc.property(
      fc.array(aged, { maxLength: 8 }),
      fc.constantFrom("ctx_expand" as const, "none" as const),
      (segments, wayBack) => {
        const tokens = estimateTokens(renderFoldedText(segments, wayBack));
        expect(estimateFoldedTokens(segments, wayBack)).toBe(tokens);
      },
    ),
    { numRuns: 500 },
  );
});
