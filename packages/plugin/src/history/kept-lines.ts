// Lists lines of a record that no age shortens: the user's answers and refusals, an approved plan, the open list.
import { type ComparedFields, toFields } from "../context/fields.ts";
import type { Label } from "../context/frames.ts";
import { quotation, toSingleLine } from "../context/neutralize.ts";
import { toolKind } from "../ledger/host-tools.ts";
import {
  type HostMessage,
  hasEnded,
  isTool,
  resultText,
  type ToolPart,
} from "../ledger/message.ts";

/** Parts of a history whose words a record keeps because nothing later has replaced them. */
export interface CurrentParts {
  /** The newest to-do list that the model wrote. */
  readonly todosPartId: string | null;
  /** The writes of plans that the user has approved since. */
  readonly planPartIds: ReadonlySet<string>;
}

const NOTHING_CURRENT: CurrentParts = { todosPartId: null, planPartIds: new Set() };

/** Reads the host's messages and not the sent ones, where records stand in for calls. */
export function findCurrentParts(messages: readonly HostMessage[]): CurrentParts {
  let todosPartId: string | null = null;
  let written = new Map<string, string>();
  const planPartIds = new Set<string>();
  for (const { parts } of messages) {
    for (const part of parts) {
      if (!isTool(part) || part.state.status !== "completed") continue;
      if (toolKind(part.tool) === "todos written") todosPartId = part.id;
      const plan = planPath(part);
      if (plan !== null) written.set(plan, part.id);
      if (toolKind(part.tool) === "plan handed over") {
        for (const id of written.values()) planPartIds.add(id);
        written = new Map();
      }
    }
  }
  return todosPartId === null && planPartIds.size === 0
    ? NOTHING_CURRENT
    : { todosPartId, planPartIds };
}

/** Matches the files to which the host has the model write a plan (OpenCode 1.18.33). */
const PLAN = /(?:^|[/\\])plans?[/\\][^/\\]+\.md$/;

function planPath({ tool, state }: ToolPart): string | null {
  if (toolKind(tool) !== "write") return null;
  const { filePath } = toFields(state.input);
  return typeof filePath === "string" && PLAN.test(filePath) ? filePath : null;
}

/** Lists kept lines in the order of the range; most ranges have none. */
export function keptLines(range: readonly HostMessage[], current: CurrentParts): readonly string[] {
  return range.flatMap(({ parts }) =>
    parts.flatMap((part) => (isTool(part) ? linesOfCall(part, current) : [])),
  );
}

function linesOfCall(
  part: ToolPart,
  { todosPartId, planPartIds }: CurrentParts,
): readonly string[] {
  if (!hasEnded(part)) return [];
  const input = toFields(part.state.input);
  if (toolKind(part.tool) === "question") return answered(input, resultText(part));
  if (part.id === todosPartId) return openTodos(input);
  if (planPartIds.has(part.id)) return approvedPlan(input);
  return refused(part);
}

/** Matches the answers as the host joins them. Where another host joins them otherwise, the whole text is kept. */
const ANSWERS = /^User has answered your questions: ([\s\S]*?)\. You can now continue/;

function answered({ questions }: ComparedFields, said: string): readonly string[] {
  const asked = Array.isArray(questions) ? questions.map(toFields) : [];
  const lines = asked.flatMap(({ question }) =>
    typeof question === "string" ? [withLabel("Asked", `the user: “${question}”`)] : [],
  );
  const answer = ANSWERS.exec(said)?.[1] ?? said;
  return [...lines, withLabel("Answered", answer)];
}

const REFUSED =
  /^(?:Error: )?The user rejected permission to use this specific tool call with the following feedback: ([\s\S]+)/;

function refused(part: ToolPart): readonly string[] {
  if (part.state.status !== "error") return [];
  const [, feedback] = REFUSED.exec(part.state.error) ?? [];
  return feedback === undefined ? [] : [withLabel("Refused", `${part.tool}: “${feedback}”`)];
}

function approvedPlan({ content }: ComparedFields): readonly string[] {
  return typeof content === "string" ? [`Planned:\n${quotation(content)}`] : [];
}

function openTodos({ todos }: ComparedFields): readonly string[] {
  if (!Array.isArray(todos)) return [];
  return todos.map(toFields).flatMap(({ content, status }) => {
    const isOpen = status === "pending" || status === "in_progress";
    return isOpen && typeof content === "string" ? [withLabel("Open", content)] : [];
  });
}

/** Puts the text on one line with a label, which no other text can begin with. */
export function withLabel(label: Label, text: string): string {
  return `${label}: ${toSingleLine(text)}`;
}
