// `npm run bench -- stale`: the benchmarks whose sources have changed since they were measured.
import type { Results } from "./document.ts";
import { SECTION_NAMES, type SectionName } from "./targets.ts";

/** Why a section is to be measured again. */
export interface StaleSection {
  readonly name: SectionName;
  readonly reason: string;
}

/** In the page's order; `digestOf` gives the digest of a section's sources as they stand. */
export function staleSections(
  results: Results,
  digestSection: (name: SectionName) => string,
): readonly StaleSection[] {
  return SECTION_NAMES.flatMap((name) => {
    const result = results[name];
    if (result === undefined) return [{ name, reason: "was never measured" }];
    if (result.sources === digestSection(name)) return [];
    const reason = `was measured on ${result.measuredOn}; its sources have changed since`;
    return [{ name, reason }];
  });
}

/** For people. */
export function staleText(stale: readonly StaleSection[]): string {
  if (stale.length === 0) return "Every benchmark was measured with the code as it stands.";
  const lines = stale.map(({ name, reason }) => `  ${name} ${reason}.`);
  const names = stale.map(({ name }) => name).join(" ");
  return [
    `${stale.length} of ${SECTION_NAMES.length} benchmarks were measured with other code:`,
    ...lines,
    `To measure them again: npm run bench -- ${names}`,
  ].join("\n");
}
