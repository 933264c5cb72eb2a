// Creates smart notes for one plugin instance: the source of due notes, the tool, the command and the checks.
import { BoundedMap } from "../../context/bounded-map.ts";
import { createSystemContext, type SystemContext } from "../../context/system-context.ts";
import type { CommandCall } from "../../feature-api/command.ts";
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import { openTool } from "../../feature-api/open-tool.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import { answerWithNote, UserFacingError } from "../../feature-api/user-facing-error.ts";
import { toFaultFields } from "../../log/fault.ts";
import { findProjectPlace } from "../../project/find-project.ts";
import type { ProjectId } from "../../project/project.ts";
import { runCommand } from "../../sources/run-command.ts";
import type { SessionId } from "../../storage/records.ts";
import { renderFinishedNotes } from "./change-text.ts";
import { CachedList, toUnavailable } from "./list-source.ts";
import { smartNoteSettings } from "./settings.ts";
import {
  createDueNotesSource,
  FileStates,
  SmartNoteActions,
  toDueNoteList,
} from "./smart-note-actions.ts";
import { defineQuestionJob, SmartNoteChecks } from "./smart-note-checks.ts";
import { describeCondition } from "./smart-note-condition.ts";
import { createSmartNoteStore, type SmartNote } from "./smart-note-store.ts";
import { remindTool } from "./tools.ts";

const COMMAND_TIMEOUT_MS = 60_000;
/** Limits the output of a command, which nobody reads. */
const MAX_COMMAND_OUTPUT_BYTES = 1_000_000;
const NEWEST_MESSAGES_OPTIONS = { count: 6, timeoutMs: 10_000 };
const MAX_TITLE_CHARS = 80;
/** The number of sessions whose sources are kept; any other session only has its list encoded once more. */
const MAX_CACHED_SESSIONS = 64;

export function createSmartNotesFeature(context: FeatureContext): FeatureInstance {
  const { config, database, location, host, jobs, log, now } = context;
  const settings = selectSettings(config, smartNoteSettings);
  const getStore = () => database.current().store(createSmartNoteStore);
  const getProjectId = () => context.project.id();
  const common = { store: getStore, project: getProjectId, settings, now };
  const { directory, root } = findProjectPlace(location.directory);
  const actions = new SmartNoteActions({ ...common, directory, root, files: new FileStates(root) });
  const ended = new AbortController();
  const checks = new SmartNoteChecks({
    ...common,
    run: createCommandRunner(context, ended.signal),
    ask: (job) => void jobs.add(job),
    failed: (error) => log.warn("smart_notes.failed", toFaultFields(error)),
  });
  const readNewestMessages = (sessionId: SessionId) =>
    host.messages(sessionId, NEWEST_MESSAGES_OPTIONS);
  const contexts = new BoundedMap<string, SystemContext>(MAX_CACHED_SESSIONS);
  return {
    sources: ({ sessionId }) =>
      contexts.getOrCreate(sessionId, () =>
        createNotesContext(actions, getProjectId, sessionId as SessionId),
      ),
    jobs: [
      defineQuestionJob({
        directory,
        fallbacks: config.jobs.fallbacks,
        messages: readNewestMessages,
        now,
      }),
    ],
    tools: [
      openTool(remindTool, async ({ text, when, for: scope, done }, { sessionId }) => {
        const answers: string[] = [];
        if (done !== null) answers.push(renderFinishedNotes(await actions.finish(sessionId, done)));
        if (text !== null) {
          const wanted = { text, when: when ?? "", scope: scope ?? "session" } as const;
          answers.push(describeStoredNote(await actions.add(sessionId, "model", wanted)));
        }
        if (answers.length === 0)
          throw new UserFacingError("Give a text to add, or refs of done notes.");
        return { title: (text ?? done ?? "").slice(0, MAX_TITLE_CHARS), text: answers.join(" ") };
      }),
    ],
    commands: [
      {
        kind: "action",
        name: "ctx-remind",
        dialog: () => null,
        act: (call) => answerWithNote(() => onCommand(actions, call)),
      },
    ],
    hooks: {
      settled: async (sessionId) => checks.afterTurn(sessionId),
      onEvent({ kind, sessionId }) {
        if (kind === "deleted") contexts.delete(sessionId);
      },
      async closed() {
        ended.abort();
        await checks.awaitIdle();
      },
    },
  };
}

/** Creates a session's own source of due notes, which remembers what it last returned. */
function createNotesContext(
  actions: SmartNoteActions,
  project: () => Promise<ProjectId>,
  sessionId: SessionId,
): SystemContext {
  const list = new CachedList((id: ProjectId) => toDueNoteList(actions.listDue(id, sessionId)));
  return createSystemContext(
    createDueNotesSource(() => project().then((id) => list.load(id), toUnavailable)),
  );
}

function createCommandRunner({ env, location }: FeatureContext, signal: AbortSignal) {
  const given = ["PATH", "HOME", "LANG"].flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return async (line: string): Promise<boolean> => {
    const { kind } = await runCommand({
      line: { kind: "shell", line },
      directory: location.directory,
      env: Object.fromEntries(given),
      signal,
      timeoutMs: COMMAND_TIMEOUT_MS,
      maxBytes: MAX_COMMAND_OUTPUT_BYTES,
    });
    return kind === "said";
  };
}

function describeStoredNote({ ref, condition }: SmartNote): string {
  return `Stored as ${ref}; it comes up when ${describeCondition(condition)}.`;
}

const USAGE =
  "Type /ctx-remind alone for a list, or: WHEN -> text, project WHEN -> text, done n:…. WHEN is a date (2026-12-01 14:00), in 2 days, file PATH, command LINE or ask QUESTION.";

async function onCommand(
  actions: SmartNoteActions,
  { sessionId, args }: CommandCall,
): Promise<string> {
  const said = args.trim();
  if (said === "") {
    const lines = await actions.list(sessionId);
    return lines.length === 0 ? `There are no such notes. ${USAGE}` : lines.join("\n");
  }
  const done = /^done\s+(.+)$/s.exec(said)?.[1];
  if (done !== undefined) return renderFinishedNotes(await actions.finish(sessionId, done));
  const [, project, when, text] = /^(project\s+)?(.+?)\s*->\s*(.+)$/s.exec(said) ?? [];
  if (when === undefined || text === undefined) throw new UserFacingError(USAGE);
  const scope = project === undefined ? "session" : "project";
  return describeStoredNote(await actions.add(sessionId, "user", { text, when, scope }));
}
