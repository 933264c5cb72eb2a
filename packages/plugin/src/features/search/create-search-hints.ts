// Creates the search hints feature: it searches as a prompt arrives, and adds the hint at the prompt's first
// boundary.

import { BoundedMap } from "../../context/bounded-map.ts";
import type { SearchIndex } from "../../feature-api/extension-points.ts";
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import { type Finder, Finders } from "../../feature-api/finders.ts";
import type { ArrivingPrompt } from "../../feature-api/prompt.ts";
import { faultFields } from "../../log/fault.ts";
import { withTimeout } from "../../sources/with-timeout.ts";
import { searchHints } from "./hint-policy.ts";
import { MIN_SCORE } from "./hint-score.ts";
import { findHint, type Hint } from "./hint-search.ts";
import { shownSoon } from "./hint-shown-soon.ts";

/** A prompt waits no longer than this for its hint. */
const PATIENCE_MS = 200;
const MAX_PROMPTS = 64;

interface SearchHintsGiven {
  readonly index: Pick<SearchIndex, "file">;
  readonly finders: readonly Finder[];
}

export function createSearchHintsFeature(
  context: FeatureContext,
  given: SearchHintsGiven,
): FeatureInstance {
  const { log, project, sent } = context;
  const { file } = given.index;
  const finders = new Finders(given.finders);
  const found = new BoundedMap<string, Hint>(MAX_PROMPTS);
  const look = async ({ sessionId, message, parts }: ArrivingPrompt) => {
    const deps = { finders, file };
    const scope = { sessionId, project: await project.id() };
    const hint = await findHint(
      deps,
      scope,
      joinText(parts),
      shownSoon(sessionId, sent.get(sessionId)),
    );
    if (hint !== null && hint.score >= MIN_SCORE) found.set(message.id, hint);
  };
  return {
    policies: [searchHints((messageId) => found.get(messageId) ?? null)],
    hooks: {
      async arriving(prompt) {
        try {
          await withTimeout(PATIENCE_MS, look(prompt), () => undefined);
        } catch (error) {
          // Without its hint the prompt is sent as an ordinary one.
          log.warn("search_hints.failed", faultFields(error));
        }
      },
    },
  };
}

/** Joins what a person wrote of the prompt. */
function joinText(parts: ArrivingPrompt["parts"]): string {
  return parts
    .flatMap((part) => {
      const text: unknown = Reflect.get(part, "text");
      const isOwn = part.type === "text" && Reflect.get(part, "synthetic") !== true;
      return isOwn && typeof text === "string" ? [text] : [];
    })
    .join("\n");
}
