// The types of sample.mjs.
export function takeSample<Mutant>(
  mutants: readonly Mutant[],
  count: number,
  seed: number,
): readonly Mutant[];
export function likelyPercents(
  noticed: number,
  counted: number,
): { readonly from: number; readonly to: number };
