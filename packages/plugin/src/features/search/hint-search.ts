// Searches earlier work for what it says about a prompt.
import type { Finders } from "../../feature-api/finders.ts";
import type { Ref } from "../../ledger/ref.ts";
import type { CollectionScope } from "../../search-index/collection.ts";
import type { IndexFile } from "../../search-index/file.ts";
import type { SessionId } from "../../storage/records.ts";
import { distinctiveTerms, hintScore } from "./hint-score.ts";
import { lookUp } from "./look-up.ts";
import type { IsPartInContext } from "./search.ts";

export interface Hint {
  readonly ref: Ref;
  /** Describes the finding in a few words. */
  readonly words: string;
  readonly text: string;
  readonly score: number;
}

interface FindDeps {
  /** Finders of other features; they return nothing that the session's context holds. */
  readonly finders: Pick<Finders, "search">;
  /** Recall's index. */
  readonly file: Pick<IndexFile, "use">;
}

/** Returns the best hint, whatever its score; null if nothing is about the prompt. */
export async function findHint(
  { finders, file }: FindDeps,
  scope: CollectionScope,
  prompt: string,
  isShown: IsPartInContext,
): Promise<Hint | null> {
  const terms = distinctiveTerms(prompt);
  if (terms.length < 2) return null;
  const found = await finders.search(scope.sessionId as SessionId, terms);
  return file.use((store) => {
    const range = store.range(scope, "project");
    const { hits, words } = lookUp(store, range, terms, isShown);
    // Tool output is left out: it can be read again, and holds words of everything.
    const said = hits.filter(({ part }) => part.kind !== "output");
    const hints = [
      ...found.findings.map((one) => ({ ...one, text: one.lines.join(" ") })),
      ...said.map(({ part, lines }) => ({
        ref: part.ref,
        words: `said by the ${part.kind}`,
        text: lines.map(({ text }) => text).join(" "),
      })),
    ].map(({ ref, words: what, text }): Hint => {
      return { ref, words: what, text, score: hintScore(text, words) };
    });
    return hints.reduce<Hint | null>(
      (best, hint) => (hint.score > (best?.score ?? 0) ? hint : best),
      null,
    );
  });
}
