import { expect, test } from "bun:test";
import { parseAnswer } from "@session-runtime/opencode/features/summaries/answer";
import { checkAnswer } from "@session-runtime/opencode/features/summaries/answer-check";
import { composeRequest } from "@session-runtime/opencode/features/summaries/request";
import { called } from "../../plugin/test/history/calls.ts";
import { assistant, text, user } from "../../plugin/test/ledger/history.ts";
import type { ModelRequest } from "../src/bench/history/frugal-provider.ts";
import { ScriptedHistorian } from "../src/bench/history/scripted-historian.ts";
import type { Fact } from "../src/bench/history/session-script.ts";

const fact = (line: string): Fact => ({
  kind: "output",
  line,
  answer: "",
  question: "",
  query: "",
});

test("the benchmarks' historian writes what the plugin takes, and notes what it is shown, and no more", () => {
  const [shown, cut] = [fact("a < b && queue osta: 48213"), fact("in the middle: 99")];
  const turns = [{ type: "work", prompt: "", steps: [], answer: "", facts: [shown, cut] }] as const;
  const long = `${shown.line}\n${"x ".repeat(2_000)}${cut.line}\n${"y ".repeat(2_000)}`;
  const messages = [
    user("u1", text("Drain <osta>")),
    assistant("a1", text("Done & drained."), called("bash", { command: "drain" }, long)),
    user("u2", text("Go on")),
    assistant("a2", text("Yes.")),
  ];
  const { prompt } = composeRequest({ memories: [], earlier: [], messages, directory: "/project" });
  const historian = new ScriptedHistorian({ name: "", files: {}, turns });
  const body = { messages: [{ role: "user", content: [{ type: "text", text: prompt }] }] };
  const reply = historian.answer({ body } as unknown as ModelRequest);
  if (reply.type !== "answer") throw new Error(reply.type);
  const checked = checkAnswer(parseAnswer(reply.text), messages.length);
  if (checked.kind !== "good") throw new Error(checked.problems.join(" "));
  expect(checked.segments.map(({ first, last }) => [first, last])).toEqual([
    [0, 1],
    [2, 3],
  ]);
  const [one] = checked.segments;
  expect(one?.texts.full).toStartWith("Asked: Drain <osta> Answered: Done & drained.");
  for (const tier of ["full", "short", "brief"] as const) {
    expect(one?.texts[tier]).toContain(shown.line);
  }
  expect(JSON.stringify(checked)).not.toContain(cut.line);
});
