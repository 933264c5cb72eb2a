// What the history shows of the work: files, failing commands, open requests.
import { type HostMessage, isText, isTool, type ToolPart } from "../projection/message.ts";

/** The fields of the host's rows that say what is answered (OpenCode 1.18.33). */
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
  /** Relative to the session's directory where it lies in it. */
  readonly path: string;
  readonly touch: "edited" | "read";
}

export interface FailingCommand {
  readonly command: string;
  /** Null where the command did not end by itself. */
  readonly exitCode: number | null;
}

/** What the runtime itself knows of the work in hand. */
export interface RuntimeFacts {
  readonly todos: readonly Todo[];
  /** Of this epoch, the newest touch first. */
  readonly files: readonly TouchedFile[];
  /** Commands whose newest run failed, newest first. */
  readonly failing: readonly FailingCommand[];
  /** What the user asked first in this epoch. */
  readonly firstRequest: string | null;
  /** Prompts that work has begun on and that have no answer, oldest first. */
  readonly unanswered: readonly string[];
  /** Prompts that nothing has been done about yet, oldest first. */
  readonly queued: readonly string[];
}

export const noFacts: RuntimeFacts = {
  todos: [],
  files: [],
  failing: [],
  firstRequest: null,
  unanswered: [],
  queued: [],
};

const MOST_FILES = 60;
const MOST_FAILING = 8;

/** Searching in vain and looking at a difference end with 1 too: that is no failure. */
const EXPECTED_TO_FAIL =
  /^\s*(?:cd\s+\S+\s*&&\s*)?(?:grep|egrep|rg|ag|find|ls|which|command|type|diff|cmp|test|\[|cat|head|tail|stat|git\s+(?:diff|grep|show))\b/;

/** Reads the facts off the host's history, whole or its newer part, in the order of time. */
export function runtimeFacts(messages: readonly HistoryMessage[], directory: string): RuntimeFacts {
  const epoch = messages.slice(epochStart(messages));
  const tools = epoch.flatMap(({ parts }) => parts.filter(isTool));
  const { unanswered, queued } = requests(epoch);
  return {
    todos: todosIn(tools),
    files: filesIn(tools, directory),
    failing: failingIn(tools),
    firstRequest: epoch.map(requestOf).find((text) => text !== null) ?? null,
    unanswered,
    queued,
  };
}

/** Behind the newest compaction that came to an end. */
function epochStart(messages: readonly HistoryMessage[]): number {
  return messages.findLastIndex(({ info }) => isSummary(info)) + 1;
}

export function isSummary(info: HistoryMessage["info"]): boolean {
  return info.role === "assistant" && Boolean(info.summary) && Boolean(info.finish) && !info.error;
}

/** What the user wrote; null for the host's own rows, and for those of an undone or empty prompt. */
function requestOf({ info, parts }: HistoryMessage): string | null {
  if (info.role !== "user" || parts.some((part) => part.type === "compaction")) return null;
  const text = parts
    .filter(isText)
    .filter((part) => part.synthetic !== true && part.ignored !== true)
    .map((part) => part.text.trim())
    .filter((words) => words !== "")
    .join(" ");
  return text === "" ? null : text;
}

function requests(epoch: readonly HistoryMessage[]): Pick<RuntimeFacts, "unanswered" | "queued"> {
  const answered = new Set<string>();
  const begun = new Set<string>();
  for (const { info } of epoch) {
    if (info.role !== "assistant" || info.parentID === undefined || info.summary) continue;
    begun.add(info.parentID);
    if (isAnswer(info)) answered.add(info.parentID);
  }
  // An answer is one to all that was asked before it.
  const from = epoch.findLastIndex(({ info }) => answered.has(info.id)) + 1;
  const open = epoch.slice(from).flatMap((message) => {
    const text = requestOf(message);
    return text === null ? [] : [{ id: message.info.id, text }];
  });
  const working = Math.max(
    open.findLastIndex(({ id }) => begun.has(id)),
    0,
  );
  const texts = open.map(({ text }) => text);
  return { unanswered: texts.slice(0, working + 1), queued: texts.slice(working + 1) };
}

function isAnswer({ finish, error }: HistoryMessage["info"]): boolean {
  return Boolean(finish) && finish !== "tool-calls" && finish !== "unknown" && !error;
}

function todosIn(tools: readonly ToolPart[]): readonly Todo[] {
  const newest = tools.findLast(
    ({ tool, state }) => tool === "todowrite" && state.status === "completed",
  );
  return readTodos(inputOf(newest).todos);
}

/** The host's todo list, as its tool takes it and its API gives it. */
export function readTodos(list: unknown): readonly Todo[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    const { content, status } = record(entry);
    if (typeof content !== "string" || status === "cancelled") return [];
    const state = status === "completed" ? "done" : status === "in_progress" ? "active" : "open";
    return [{ text: content, state } as const];
  });
}

const EDITING: ReadonlySet<string> = new Set([
  "edit",
  "write",
  "multiedit",
  "patch",
  "apply_patch",
]);

function filesIn(tools: readonly ToolPart[], directory: string): readonly TouchedFile[] {
  const touched = new Map<string, TouchedFile["touch"]>();
  for (const part of tools.toReversed()) {
    if (part.state.status !== "completed") continue;
    const touch = EDITING.has(part.tool) ? "edited" : part.tool === "read" ? "read" : null;
    if (touch === null) continue;
    for (const path of pathsOf(part)) {
      const shown = within(path, directory);
      const former = touched.get(shown);
      if (former === undefined && touched.size >= MOST_FILES) continue;
      touched.set(shown, former === "edited" ? former : touch);
    }
  }
  return [...touched].map(([path, touch]) => ({ path, touch }));
}

function pathsOf(part: ToolPart): readonly string[] {
  const { filePath, patchText } = inputOf(part);
  if (typeof filePath === "string" && filePath !== "") return [filePath];
  if (typeof patchText !== "string") return [];
  const heads = patchText.matchAll(/^\*\*\* (?:Add|Update|Move to)(?: File)?: (.+)$/gm);
  return [...heads].map(([, path]) => (path ?? "").trim()).toReversed();
}

/** `directory` ends without a separator. */
function within(path: string, directory: string): string {
  const plain = path.replaceAll("\\", "/").replace(/^(?:\.\/)+/, "");
  const folder = directory.replaceAll("\\", "/").replace(/\/+$/, "");
  return plain.startsWith(`${folder}/`) ? plain.slice(folder.length + 1) : plain;
}

function failingIn(tools: readonly ToolPart[]): readonly FailingCommand[] {
  const seen = new Set<string>();
  const failing: FailingCommand[] = [];
  for (const part of tools.toReversed()) {
    const command = part.tool === "bash" ? commandOf(part) : null;
    if (command === null || seen.has(command)) continue;
    const outcome = outcomeOf(part);
    if (outcome === "running") continue;
    seen.add(command);
    const expected = EXPECTED_TO_FAIL.test(command);
    if (outcome !== "passed" && !expected) failing.push({ command, exitCode: outcome.exitCode });
  }
  return failing.slice(0, MOST_FAILING);
}

function commandOf(part: ToolPart): string | null {
  const { command } = inputOf(part);
  return typeof command === "string" ? command.trim().replace(/\s+/g, " ") : null;
}

function outcomeOf({
  state,
}: ToolPart): "running" | "passed" | { readonly exitCode: number | null } {
  switch (state.status) {
    case "pending":
    case "running":
      return "running";
    case "error":
      // What was interrupted has neither passed nor failed.
      return state.metadata?.interrupted === true ? "running" : { exitCode: null };
    case "completed": {
      const exit = record(state.metadata).exit;
      return typeof exit === "number" && exit !== 0 ? { exitCode: exit } : "passed";
    }
  }
}

function inputOf(part: ToolPart | undefined): Readonly<Record<string, unknown>> {
  return record(part?.state.input);
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
