// Long sessions with questions on the stand-in: who still knows, in which window, and what breaks the prefix.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { Answerer } from "../../../e2e/src/bench/history/answerer.ts";
import type { ModelRequest } from "../../../e2e/src/bench/history/frugal-provider.ts";
import { AGES, writeSession } from "../../../e2e/src/bench/history/generate.ts";
import type { ScriptTurn } from "../../../e2e/src/bench/history/session-script.ts";
import plugin from "../../src/index.ts";
import type { Answer, SentRequest } from "./host.ts";
import { projectTools } from "./project-tools.ts";
import { isPrefix, ledgerRows, ownFolder, texts } from "./stage.ts";
import { StandIn } from "./stand-in.ts";

let folder: ReturnType<typeof ownFolder>;
beforeEach(() => {
  folder = ownFolder();
});
afterEach(() => folder.remove());

const isLong = process.env.LONG === "1";
const LENGTH = 1.15;
const SESSIONS = [
  { seed: 1, windowTokens: 60_000, lengthFactor: LENGTH },
  ...(isLong ? [2, 3] : []).map((seed) => ({ seed, windowTokens: 60_000, lengthFactor: LENGTH })),
  ...(isLong ? [1, 2, 3] : []).map((seed) => ({
    ...{ seed, windowTokens: 200_000 },
    lengthFactor: 3 * LENGTH,
  })),
];

let calls = 0;

/** What the scripted model of the benchmark makes of a request. */
function answerRequest(answerer: Answerer, sent: SentRequest): Answer {
  const body = {
    tools: sent.tools.map((name) => ({ name })),
    messages: sent.messages.map(({ content }) => ({
      content: content.flatMap((part) =>
        part.type === "tool-result"
          ? [{ type: "tool_result", content: String(part.result.value) }]
          : [],
      ),
    })),
  };
  const kind = sent.kind === "primary" ? "main" : "compaction";
  const heard = {
    kind,
    session: sent.sessionId,
    model: "opus",
    body,
    text: texts(sent),
    blocks: [],
  };
  const reply = answerer.respond(heard as ModelRequest);
  if (reply.type !== "answer") throw new Error(`The script has no ${reply.type} here.`);
  return {
    text: reply.text,
    calls: reply.calls.map(({ name, input }) => {
      calls += 1;
      return { id: `call_${calls}`, name, input };
    }),
  };
}

const turnPrompt = (turn: ScriptTurn) => (turn.type === "work" ? turn.prompt : turn.fact.question);

test.each(SESSIONS)(
  "60 turns, seed $seed, in a window of $windowTokens tokens: all 14 questions are answered right, and only rewrites on record break the prefix",
  async ({ seed, windowTokens, lengthFactor }) => {
    const script = writeSession({ seed, turns: 60, ages: AGES, lengthFactor });
    const answerer = new Answerer("look-up");
    const rows: number[] = [];
    const host = new StandIn({
      plugins: [plugin],
      windowTokens,
      runTool: projectTools(script),
      model: (sent) => {
        rows.push(ledgerRows());
        return answerRequest(answerer, sent);
      },
    });
    for (const turn of script.turns) {
      answerer.begin(turn);
      await host.prompt("ses_1", turnPrompt(turn));
      // What is indexed after the send is there by the next prompt of a user.
      await Bun.sleep(60);
    }
    await host.close();
    const { sent } = host;
    expect(host.failed).toEqual([]);
    const outcomes = answerer.asked.map(({ outcome }) => outcome);
    expect(outcomes.filter((one) => one !== "context" && one !== "look-up")).toEqual([]);
    expect(outcomes).toHaveLength(14);
    expect(sent.filter(({ kind }) => kind === "compaction")).toEqual([]);
    const broken = sent.flatMap((call, at) =>
      at === 0 || isPrefix(sent[at - 1], call) ? [] : [at],
    );
    expect(broken.filter((at) => rows[at] === rows[at - 1])).toEqual([]);
    const largest = Math.max(...sent.map((call) => texts(call).length));
    expect(largest / 4).toBeLessThan(0.9 * windowTokens);
  },
  600_000,
);
