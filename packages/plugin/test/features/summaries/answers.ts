// What a model answers to the historian.
export const TIERS_XML =
  "<p1>What was done in full, with values.</p1><p2>What was done, shorter.</p2><p3>It was done.</p3><p4>Done.</p4>";

/** Of messages by their numbers, from 1. */
export function segmentXml(from: number, to: number, inner = TIERS_XML): string {
  return `<segment from="m${from}" to="m${to}" kind="fix" importance="50">\n${inner}\n</segment>`;
}

export function wrapInHistory(...elements: readonly string[]): string {
  return `<history>\n${elements.join("\n")}\n</history>`;
}
