// Collects what the history shows about the work: files, failing commands, open requests.
import { toFields, type UnknownFields } from "../../context/fields.ts";
import { classifyTool } from "../../ledger/host-tools.ts";
import {
  asksForCompaction,
  type HostMessage,
  isText,
  isTool,
  type ToolPart,
} from "../../ledger/message.ts";

/** A host message with the fields that relate answers to prompts (OpenCode 1.18.33). */
export interface HistoryMessage extends HostMessage {
  readonly info: HostMessage["info"] & {
    readonly parentID?: string | undefined;
    readonly summary?: unknown;
    readonly finish?: string | undefined;
    readonly error?: unknown;
  };
}

export interface Todo {
  readonly text: string;
  readonly state: "open" | "active" | "done";
}

export interface TouchedFile {
  /** The path, relative to the session's directory if the file lies in it. */
  readonly path: string;
  readonly touch: "edited" | "read";
}

interface FailingCommand {
  readonly command: string;
  /** The exit code; null if the command did not end by itself. */
  readonly exitCode: number | null;
}

/** Holds the user's newest request on which work has begun, and what has been done since. */
export interface NewestRequest {
  readonly text: string;
  readonly isAnswered: boolean;
  readonly files: readonly TouchedFile[];
  /** Commands that passed, oldest first. */
  readonly commands: readonly string[];
}

/** Holds what the runtime itself knows about the current work. */
export interface RuntimeFacts {
  readonly todos: readonly Todo[];
  /** Files of this epoch, the most recently touched first. */
  readonly files: readonly TouchedFile[];
  /** Commands whose newest run failed, newest first. */
  readonly failing: readonly FailingCommand[];
  /** The newest request of this epoch. */
  readonly request: NewestRequest | null;
  /** Prompts on which work has begun and that have no answer, oldest first. */
  readonly unanswered: readonly string[];
  /** Prompts on which no work has begun yet, oldest first. */
  readonly queued: readonly string[];
}

const MAX_TOUCHED_FILES = 60;
const MAX_FAILING_COMMANDS = 8;

/**
 * Matches commands that also exit with 1 if a search finds no match or files differ, which is not a failure.
 */
const EXPECTED_FAILURE_PATTERN =
  /^\s*(?:cd\s+\S+\s*&&\s*)?(?:\[\s|(?:grep|egrep|rg|ag|find|ls|which|command|type|diff|cmp|test|cat|head|tail|stat|git\s+(?:diff|grep|show))\b)/;

/** Collects the facts from the host's history, or from its newer part, in chronological order. */
export function gatherRuntimeFacts(
  messages: readonly HistoryMessage[],
  directory: string,
): RuntimeFacts {
  const epoch = messages.slice(messages.findLastIndex(({ info }) => isSummary(info)) + 1);
  const tools = listTools(epoch);
  const { answered, unanswered, queued } = findRequests(epoch);
  const newest = unanswered.at(-1) ?? answered.at(-1);
  const since = newest ? listTools(epoch.slice(newest.index + 1)) : [];
  return {
    todos: findTodos(tools),
    files: collectFiles(tools, directory),
    failing: listFailingCommands(tools),
    request: newest
      ? {
          text: newest.text,
          isAnswered: unanswered.length === 0,
          files: collectFiles(since, directory),
          commands: listPassedCommands(since),
        }
      : null,
    unanswered: unanswered.map(({ text }) => text),
    queued: queued.map(({ text }) => text),
  };
}

function listTools(messages: readonly HistoryMessage[]): readonly ToolPart[] {
  return messages.flatMap(({ parts }) => parts.filter(isTool));
}

export function isSummary(info: HistoryMessage["info"]): boolean {
  return info.role === "assistant" && Boolean(info.summary) && Boolean(info.finish) && !info.error;
}

/** Returns what the user wrote; null for the host's own rows, and for rows of an undone or empty prompt. */
function findRequest({ info, parts }: HistoryMessage): string | null {
  if (info.role !== "user" || asksForCompaction({ parts })) return null;
  const text = parts
    .filter(isText)
    .filter((part) => part.synthetic !== true && part.ignored !== true)
    .map((part) => part.text.trim())
    .filter((words) => words !== "")
    .join(" ");
  return text === "" ? null : text;
}

interface Request {
  /** The index of the request in the epoch. */
  readonly index: number;
  readonly id: string;
  readonly text: string;
}

/** Lists requests by state, oldest first. An answer counts for everything that was asked before it. */
function findRequests(epoch: readonly HistoryMessage[]): {
  readonly answered: readonly Request[];
  readonly unanswered: readonly Request[];
  readonly queued: readonly Request[];
} {
  const asked = epoch.flatMap((message, index): readonly Request[] => {
    const text = findRequest(message);
    return text === null ? [] : [{ index, id: message.info.id, text }];
  });
  const answers = epoch.filter(({ info }) => info.role === "assistant" && !info.summary);
  const findNewestMessages = (rows: readonly HistoryMessage[]) => {
    const parents = new Set(rows.map(({ info }) => info.parentID));
    return epoch.findLastIndex(({ info }) => parents.has(info.id));
  };
  const answeredTo = findNewestMessages(answers.filter(({ info }) => isAnswer(info)));
  const open = asked.filter(({ index }) => index > answeredTo);
  // The session works on the oldest open request, even before a row shows it.
  const begunTo = Math.max(findNewestMessages(answers), open[0]?.index ?? 0);
  return {
    answered: asked.filter(({ index }) => index <= answeredTo),
    unanswered: open.filter(({ index }) => index <= begunTo),
    queued: open.filter(({ index }) => index > begunTo),
  };
}

function isAnswer({ finish, error }: HistoryMessage["info"]): boolean {
  return Boolean(finish) && finish !== "tool-calls" && finish !== "unknown" && !error;
}

function findTodos(tools: readonly ToolPart[]): readonly Todo[] {
  const newest = tools.findLast(
    ({ tool, state }) => classifyTool(tool) === "todos written" && state.status === "completed",
  );
  return parseTodos(readToolInput(newest).todos);
}

/** Parses the host's todo list, in the form of either its tool or its API. */
export function parseTodos(list: unknown): readonly Todo[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    const { content, status } = toFields(entry);
    if (typeof content !== "string" || status === "cancelled") return [];
    const state = status === "completed" ? "done" : status === "in_progress" ? "active" : "open";
    return [{ text: content, state } as const];
  });
}

function collectFiles(tools: readonly ToolPart[], directory: string): readonly TouchedFile[] {
  const touched = new Map<string, TouchedFile["touch"]>();
  for (const part of tools.toReversed()) {
    if (part.state.status !== "completed") continue;
    const touch = classifyTouch(part.tool);
    if (touch === null) continue;
    for (const path of listTouchedPaths(part)) {
      const shown = toRelativePath(path, directory);
      const former = touched.get(shown);
      if (former === undefined && touched.size >= MAX_TOUCHED_FILES) continue;
      touched.set(shown, former === "edited" ? former : touch);
    }
  }
  return [...touched].map(([path, touch]) => ({ path, touch }));
}

function classifyTouch(tool: string): TouchedFile["touch"] | null {
  const kind = classifyTool(tool);
  if (kind === "write" || kind === "edit") return "edited";
  return kind === "read" ? "read" : null;
}

function listTouchedPaths(part: ToolPart): readonly string[] {
  const { filePath, patchText } = readToolInput(part);
  if (typeof filePath === "string" && filePath !== "") return [filePath];
  if (typeof patchText !== "string") return [];
  const heads = patchText.matchAll(/^\*\*\* (?:Add|Update|Move to)(?: File)?: (.+)$/gm);
  return [...heads].map(([, path]) => (path ?? "").trim()).toReversed();
}

/** Makes a path relative to `directory` if the path lies in that directory. */
function toRelativePath(path: string, directory: string): string {
  const plain = path.replaceAll("\\", "/").replace(/^(?:\.\/)+/, "");
  const folder = directory.replaceAll("\\", "/").replace(/\/+$/, "");
  return plain.startsWith(`${folder}/`) ? plain.slice(folder.length + 1) : plain;
}

function listFailingCommands(tools: readonly ToolPart[]): readonly FailingCommand[] {
  const failing = selectNewestRuns(tools).flatMap(({ command, outcome }) =>
    outcome === "passed" || EXPECTED_FAILURE_PATTERN.test(command)
      ? []
      : [{ command, exitCode: outcome.exitCode }],
  );
  return failing.slice(0, MAX_FAILING_COMMANDS);
}

function listPassedCommands(tools: readonly ToolPart[]): readonly string[] {
  const passed = selectNewestRuns(tools).filter(({ outcome }) => outcome === "passed");
  return passed.map(({ command }) => command).toReversed();
}

type Outcome = "passed" | { readonly exitCode: number | null };

/** Returns the latest outcome of each command that ended, newest first. */
function selectNewestRuns(
  tools: readonly ToolPart[],
): readonly { readonly command: string; readonly outcome: Outcome }[] {
  const runs = new Map<string, Outcome>();
  for (const part of tools.toReversed()) {
    const command = classifyTool(part.tool) === "run" ? findCommand(part) : null;
    const outcome = findOutcome(part);
    if (command !== null && outcome !== null && !runs.has(command)) runs.set(command, outcome);
  }
  return [...runs].map(([command, outcome]) => ({ command, outcome }));
}

function findCommand(part: ToolPart): string | null {
  const { command } = readToolInput(part);
  return typeof command === "string" ? command.trim().replace(/\s+/g, " ") : null;
}

/**
 * Returns a run's outcome; null if the run has not ended or was interrupted: it neither passed nor failed.
 */
function findOutcome({ state }: ToolPart): Outcome | null {
  switch (state.status) {
    case "pending":
    case "running":
      return null;
    case "error":
      return state.metadata?.interrupted === true ? null : { exitCode: null };
    case "completed": {
      const exit = toFields(state.metadata).exit;
      return typeof exit === "number" && exit !== 0 ? { exitCode: exit } : "passed";
    }
  }
}

function readToolInput(part: ToolPart | undefined): UnknownFields {
  return toFields(part?.state.input);
}
