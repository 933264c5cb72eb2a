// Renders the earlier words that a compacted session is sent: the user's prompts as written, and answers.
import { frameLines } from "../../context/frames.ts";
import { neutralize, oneLine } from "../../context/neutralize.ts";
import { shortenedAnswer } from "../../history/shortened.ts";
import type { WayBack } from "../../history/stub.ts";
import { estimateTokens } from "../../ledger/tokens.ts";
import { counted } from "../../status/wording.ts";
import type { Statement } from "../../storage/brief-store.ts";

export interface StatementSpace {
  /** The budget for prompts and for whatever else the user said. */
  readonly promptTokens: number;
  readonly answerTokens: number;
  readonly wayBack: WayBack;
}

const OPENING =
  "From before the summary, oldest first: what the user wrote, in his own words, and answers that ended his turns. What he asked for still holds where nothing later takes it back.";

/** Renders the newest statements that fit, in their order; null if there are none. */
export function statementsText(
  statements: readonly Statement[],
  feature: StatementSpace,
): string | null {
  if (statements.length === 0) return null;
  const words = chooseStatements(
    statements.filter(({ kind }) => kind !== "answer"),
    feature.promptTokens,
    feature.wayBack,
  );
  const answers = chooseStatements(
    statements.filter(({ kind }) => kind === "answer"),
    feature.answerTokens,
    feature.wayBack,
  );
  const shown = new Map([...words, ...answers]);
  const lines = statements.flatMap((statement) => {
    const text = shown.get(statement);
    return text === undefined ? [] : renderStatement(statement.kind, text);
  });
  return frameLines("earlier-words", [
    OPENING,
    ...leftOut(statements, shown, feature.wayBack),
    ...lines,
  ]);
}

/** Takes statements from the newest on, until one does not fit even when it is cut to its ends. */
function chooseStatements(
  statements: readonly Statement[],
  budgetTokens: number,
  wayBack: WayBack,
): ReadonlyMap<Statement, string> {
  const shown = new Map<Statement, string>();
  let leftTokens = budgetTokens;
  for (const statement of statements.toReversed()) {
    const text = pickFitting(statement, leftTokens, wayBack);
    if (text === null) break;
    shown.set(statement, text);
    leftTokens -= estimateTokens(text);
  }
  return shown;
}

function pickFitting(
  { text, messageId }: Statement,
  leftTokens: number,
  wayBack: WayBack,
): string | null {
  const fits = (said: string) => estimateTokens(said) <= leftTokens;
  if (fits(text)) return text;
  const shorter = shortenedAnswer(text, messageId, wayBack);
  return fits(shorter) ? shorter : null;
}

function renderStatement(kind: Statement["kind"], text: string): readonly string[] {
  switch (kind) {
    case "prompt":
      return ["The user:", ...marked(text)];
    case "answer":
      return ["The answer:", ...marked(text)];
    case "kept":
      return [text];
  }
}

/** Marks each line as it was written, so that none passes for one of ours. */
function marked(text: string): readonly string[] {
  return neutralize(text)
    .split(/\r?\n/)
    .map((line) => `> ${oneLine(line)}`.trimEnd());
}

function leftOut(
  statements: readonly Statement[],
  shown: ReadonlyMap<Statement, string>,
  wayBack: WayBack,
): readonly string[] {
  const missing = statements.filter((statement) => !shown.has(statement));
  if (missing.length === 0) return [];
  const prompts = missing.filter(({ kind }) => kind !== "answer").length;
  const answers = missing.length - prompts;
  const some = [
    ...(prompts > 0 ? [counted(prompts, "prompt")] : []),
    ...(answers > 0 ? [counted(answers, "answer")] : []),
  ];
  const back = wayBack === "none" ? "" : ". ctx_search finds them";
  return [`[${some.join(" and ")} of before are not shown here${back}]`];
}
