// Creates recall: the tools that search earlier work.
import { type KeepRef, refuseToKeep } from "../../feature-api/extension-point.ts";
import type { SearchIndex } from "../../feature-api/extension-points.ts";
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import {
  type Finder,
  Finders,
  type FindSegment,
  findNoSegment,
  findNoSemanticMatch,
  type SemanticSearch,
} from "../../feature-api/finders.ts";
import { openTool } from "../../feature-api/open-tool.ts";
import { UserFacingError } from "../../feature-api/user-facing-error.ts";
import { readRef } from "../../ledger/ref.ts";
import { toFaultFields } from "../../log/fault.ts";
import { StorageError } from "../../storage/errors.ts";
import { Recall } from "./recall.ts";
import { DEFAULT_LINES, expandTool, MAX_LINES, searchTool } from "./tools.ts";

/** Each member is null if the feature that provides it is off. */
interface SearchFeatureDeps {
  readonly index: SearchIndex;
  readonly finders: readonly Finder[];
  readonly findMeant: SemanticSearch | null;
  readonly findSegment: FindSegment | null;
  readonly keep: KeepRef | null;
}

export function createSearchFeature(
  { log, now, project, sent }: FeatureContext,
  given: SearchFeatureDeps,
): FeatureInstance {
  const logFailure = (error: unknown) => log.warn("recall.index_failed", toFaultFields(error));
  const recall = new Recall({
    index: given.index,
    project,
    finders: new Finders(given.finders),
    findMeant: given.findMeant ?? findNoSemanticMatch,
    findSegment: given.findSegment ?? findNoSegment,
    sent,
    nowMs: now,
  });
  return { tools: createTools(recall, given.keep ?? refuseToKeep, logFailure) };
}

function createTools(recall: Recall, keep: KeepRef, failed: ReportFailure) {
  return [
    openTool(searchTool, async ({ query, in: within }, { sessionId }) => ({
      title: query.slice(0, MAX_TITLE_CHARS),
      text: await answerOrReport(failed, () =>
        recall.search(sessionId, query, within ?? "session"),
      ),
    })),
    openTool(expandTool, async ({ ref, from, lines, keep: isKept }, { sessionId }) => {
      const text = await answerOrReport(failed, () =>
        recall.expand(sessionId, ref, {
          from: from ?? 1,
          lines: Math.min(lines ?? DEFAULT_LINES, MAX_LINES),
        }),
      );
      const read = isKept === true ? readRef(ref) : null;
      const said = read === null ? [] : [await keep(sessionId, read)];
      return { title: ref.slice(0, MAX_TITLE_CHARS), text: [text, ...said].join("\n") };
    }),
  ];
}

const MAX_TITLE_CHARS = 80;

type ReportFailure = (error: unknown) => void;

/** Reports an index that can't be read to the model, so that the turn doesn't fail. */
async function answerOrReport(failed: ReportFailure, ask: () => Promise<string>): Promise<string> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    failed(error);
    throw new UserFacingError(
      "The search index can't be read now. Try again, or continue without it.",
    );
  }
}
