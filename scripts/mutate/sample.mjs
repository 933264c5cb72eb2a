// Some mutants chosen at random, and what they say of all.

/** `count` of them in their own order; the same seed chooses the same ones. */
export function takeSample(mutants, count, seed) {
  const next = randomFrom(seed);
  const drawn = mutants.map((mutant, at) => ({ at, mutant, key: next() }));
  return drawn
    .toSorted((left, right) => left.key - right.key)
    .slice(0, count)
    .toSorted((left, right) => left.at - right.at)
    .map(({ mutant }) => mutant);
}

/** Wilson's interval: where the share of all lies in 19 of 20 samples. */
export function likelyPercents(noticed, counted) {
  if (counted === 0) return { from: 0, to: 100 };
  const z = 1.96;
  const share = noticed / counted;
  const middle = share + (z * z) / (2 * counted);
  const spread = z * Math.sqrt((share * (1 - share)) / counted + (z * z) / (4 * counted * counted));
  const scale = 100 / (1 + (z * z) / counted);
  return { from: scale * (middle - spread), to: scale * (middle + spread) };
}

/** Mulberry32: numbers from 0 to 1. */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
