// Creates the history feature: its policy, its commands, and the record of its rewrites.
// Folder: What people and models see of the history: settings, records of what was dropped and folded, reports,
// `ctx_reduce`, nudges, time marks, and the limits that providers state.
import type { OpenCommand } from "../../feature-api/command.ts";
import type { KEEP_REF, STATED_LIMITS } from "../../feature-api/extension-points.ts";
import type { ProvidingFeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import type { FeatureHooks } from "../../feature-api/feature-hooks.ts";
import { type FindSegment, findNoSegment } from "../../feature-api/finders.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import { listTypedParts } from "../../history/clip.ts";
import { KEEP_PROPOSAL } from "../../history/kept.ts";
import { shortenPastes } from "../../history/pasted-text.ts";
import { createHistoryPolicy, FOLD_NOW } from "../../history/policy.ts";
import type { ReadInherited } from "../../history/restored-parts.ts";
import type { HistorySettings } from "../../history/settings.ts";
import { type ReadWrittenSegments, readNothingWritten } from "../../history/written.ts";
import type { BoundaryDecision } from "../../ledger/entry.ts";
import { toFaultFields } from "../../log/fault.ts";
import type { Notice } from "../../log/notices.ts";
import type { SessionId } from "../../storage/records.ts";
import { createLimits } from "./create-limits.ts";
import { computeFigures } from "./figures.ts";
import { proposeFold } from "./fold-command.ts";
import { renderHistoryReport } from "./history-report.ts";
import { resolveHistorySettings } from "./history-settings.ts";
import { createKeepRef, type KeepContext, type KeepSettings, proposeKeep } from "./keep-command.ts";
import { createKeptPartStore, createRewriteStore } from "./rewrite-store.ts";
import { historyConfig } from "./settings.ts";

type HistoryContext = Pick<
  FeatureContext,
  "database" | "notices" | "nextCall" | "propose" | "now" | "log" | "config" | "location"
>;

/** Holds the values that the historian provides; both are null if it is off. */
interface HistoryDependencies {
  readonly written: ReadWrittenSegments | null;
  readonly findSegment: FindSegment | null;
}

interface Segments {
  readonly written: ReadWrittenSegments;
  readonly findSegment: FindSegment;
}

type HistoryInstance = ProvidingFeatureInstance<{
  readonly keep: typeof KEEP_REF;
  readonly statedTokens: typeof STATED_LIMITS;
}>;

export function createHistoryFeature(
  context: HistoryContext,
  given: HistoryDependencies,
): HistoryInstance {
  const settings = resolveHistorySettings(context);
  if (settings === null) return { provides: { keep: null, statedTokens: null } };
  const segments: Segments = {
    written: given.written ?? readNothingWritten,
    findSegment: given.findSegment ?? findNoSegment,
  };
  const rules = selectSettings(context.config, historyConfig).keep;
  const { hooks, statedTokens } = createLimits(context);
  return {
    policies: [createHistoryPolicy(settings, segments.written, createInheritedReader(context))],
    hooks: { ...hooks, ...createRewriteHooks(context, settings) },
    provides: { keep: createKeepRef(createKeepContext(context)), statedTokens },
    commands: listCommands({ ...context, ...segments }, { ...settings, rules }),
    // The history policy itself turns these proposals into edits, because it has to decide what goes with
    // them.
    proposals: new Map([FOLD_NOW, KEEP_PROPOSAL].map((kind) => [kind, () => []])),
  };
}

/**
 * Reads the kept ids that a fork inherits. Returns none if the database can't be read now: the fork then
 * starts with nothing kept, and its first call goes ahead.
 */
function createInheritedReader({
  database,
  log,
}: Pick<FeatureContext, "database" | "log">): ReadInherited {
  return (messages) => {
    try {
      return database.current().store(createKeptPartStore).inherited(messages);
    } catch (error) {
      log.warn("history.inherited", toFaultFields(error));
      return [];
    }
  };
}

function createKeepContext({ nextCall, propose, database, now }: HistoryContext): KeepContext {
  return {
    nextCall,
    propose,
    noted({ partIds, hold }, sessionId, messages) {
      const store = database.current().store(createKeptPartStore);
      if (hold === "kept") store.put(sessionId, partIds, messages, now());
      else store.remove(sessionId, partIds);
    },
  };
}

function listCommands(
  context: HistoryContext & Segments,
  settings: HistorySettings & KeepSettings,
): readonly OpenCommand[] {
  return [
    {
      kind: "report",
      name: "ctx-history",
      dialog: () => "ctx-history",
      report: (asked) => renderHistoryReport(context, settings, asked),
    },
    {
      kind: "action",
      name: "ctx-fold",
      dialog: () => null,
      act: (call) => proposeFold(context, settings, call),
    },
    {
      kind: "action",
      name: "ctx-keep",
      dialog: () => null,
      act: (call) => proposeKeep(createKeepContext(context), settings, call),
    },
  ];
}

export function createRewriteHooks(
  { database, notices }: Pick<FeatureContext, "database" | "notices">,
  settings: HistorySettings,
): FeatureHooks {
  return {
    decided(sessionId, decided) {
      const figures = computeFigures(decided, settings);
      if (figures === null) return;
      const store = database.current().store(createRewriteStore);
      const isFirst = figures.folds > 0 && store.of(sessionId).every(({ folds }) => folds === 0);
      store.append({ sessionId, ...figures });
      if (isFirst) notices.mention(createFirstFoldNotice(sessionId));
      if (shortensPrompts(decided, settings))
        notices.mention(createPromptsShortenedNotice(sessionId));
    },
  };
}

/** Returns true if a user's prompt is shortened by more than the pastes in it. */
function shortensPrompts(
  { messages, entries }: BoundaryDecision,
  { wayBack }: HistorySettings,
): boolean {
  const cut = new Map(
    entries.flatMap(({ edit }) => (edit?.verb === "replace" ? [[edit.at.partId, edit.text]] : [])),
  );
  if (cut.size === 0) return false;
  return messages.some((message) =>
    listTypedParts(message).some(({ id, text }) => {
      const said = cut.get(id);
      return said !== undefined && said !== shortenPastes(text, id, wayBack);
    }),
  );
}

/**
 * Creates the notice of shortened prompts. It is shown once per session, because nothing else loses the
 * user's own words and the user can act on it.
 */
function createPromptsShortenedNotice(sessionId: SessionId): Notice {
  return {
    code: `history_prompts_shortened:${sessionId}`,
    severity: "info",
    message:
      "This session no longer fits its model's window: your oldest prompts are cut to their beginnings and ends.",
    remedy:
      "Start a new session for the next piece of work, or switch to a model with a larger window.",
  };
}

/**
 * Creates the quiet notice of the first fold: it is shown once per session, does not count as a warning in
 * later reports, and nothing waits for it.
 */
function createFirstFoldNotice(sessionId: SessionId): Notice {
  return {
    code: `history_first_fold:${sessionId}`,
    severity: "info",
    message:
      "Older messages of this session are folded: the model gets a short record in their place, and looks up what it needs. What you see stays as it is.",
    remedy:
      'See it with /ctx-history; turn it off with "history": { "rewrite": "off" } in session-runtime.jsonc.',
  };
}
