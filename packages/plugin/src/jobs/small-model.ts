// Which small model the host would choose, where its config names none.

/** A model of the host's catalogue, as far as the choice looks at it. */
export interface ListedModel {
  readonly id: string;
  readonly family?: string | undefined;
  readonly release_date?: string | undefined;
}

/** As OpenCode 1.18.33 has them, the first of them that a provider offers. */
const FAMILIES: readonly string[] = ["gemini-flash", "gpt-nano", "claude-haiku"];

/** The newest model of the first family that the provider has; null: it has none of them. */
export function smallModelOf(providerId: string, models: readonly ListedModel[]): string | null {
  for (const family of familiesOf(providerId)) {
    const [newest] = models.filter((model) => model.family === family).sort(newestFirst);
    if (newest) return newest.id;
  }
  return null;
}

function familiesOf(providerId: string): readonly string[] {
  if (providerId.startsWith("opencode")) return ["gpt-nano"];
  if (providerId.startsWith("github-copilot")) return ["gpt-mini", ...FAMILIES];
  return FAMILIES;
}

function newestFirst(a: ListedModel, b: ListedModel): number {
  const [dateA, dateB] = [a.release_date ?? "", b.release_date ?? ""];
  if (dateA !== dateB) return dateA < dateB ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}
