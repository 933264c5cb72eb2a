import { expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { resolveBudget } from "../../src/history/settings.ts";
import type { Boundary } from "../../src/ledger/boundary.ts";
import { type HostMessage, hasEnded, isSent, isText, isTool } from "../../src/ledger/message.ts";
import { isSyntheticPart } from "../../src/ledger/revise.ts";
import { estimateTokens } from "../../src/ledger/tokens.ts";
import { output, ran, read, SimulatedSession, said, settings, tool } from "./simulation.ts";

// Whole sessions, simulated.
setDefaultTimeout(600_000);

const WISHES = [
  "Leave the migrations alone",
  "Use port 5433, not 5432",
  "Lass das Schema in Ruhe, auch wenn ein Test rot ist",
  "请不要改动数据库迁移文件",
  "- keep the old name\n- and its tests",
] as const;
const LOG = Array.from({ length: 150 }, (_, at) => `2026-11-28 12:00:00 INFO step ${at} took 9 ms`);

const wish = fc.constantFrom(...WISHES);
const chars = fc.constantFrom(400, 4_000, 16_000, 30_000);
const file = fc.integer({ min: 0, max: 5 });
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ what: fc.constant("prompt" as const), wish }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("paste" as const), wish }) },
  { weight: 6, arbitrary: fc.record({ what: fc.constant("read" as const), file, chars }) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant("run" as const), file, chars }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("edit" as const), file }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant("close" as const), chars }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("ask" as const), wish }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("refuse" as const), wish }) },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant("boundary" as const),
      kind: fc.constantFrom("idle" as const, "command" as const, "switched" as const),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
const steps = fc.array(step, { minLength: 30, maxLength: 90, size: "max" });
const windows = fc.constantFrom(56_000, 168_000);

/** A session that is played step by step; what its user has typed, in order. */
class PlayedRun {
  readonly session: SimulatedSession;
  readonly typed: string[] = [];
  readonly answered: string[] = [];

  constructor(readonly usableTokens: number) {
    this.session = new SimulatedSession(usableTokens);
    this.#prompt("Begin.");
  }

  play(one: Step, at: number): void {
    const { session } = this;
    switch (one.what) {
      case "prompt":
        this.#prompt(`${one.wish}, by wish ${at}.`);
        return;
      case "paste":
        this.#prompt(`${one.wish}, by wish ${at}.`, LOG.join("\n"));
        return;
      case "read":
        session.call(read(`f${one.file}`, output(`f${one.file}`, one.chars)));
        return;
      case "run":
        session.call(said(`I run ${at}.`), ran(`run ${one.file}`, output(`${at}`, one.chars)));
        return;
      case "edit":
        session.call(tool("edit", { filePath: `f${one.file}` }, "done"));
        return;
      case "close":
        session.call(said(`It is done, at ${at}.\n\n${"word ".repeat(one.chars / 10)}`));
        return;
      case "ask": {
        const answer = this.#answer(`${one.wish}, by answer ${at}`);
        const words = `User has answered your questions: "Which?"="${answer}". You can now continue`;
        session.call(tool("question", { questions: [{ question: "Which?" }] }, words));
        return;
      }
      case "refuse": {
        const why = this.#answer(`${one.wish}, by refusal ${at}`);
        const error = `The user rejected permission to use this specific tool call with the following feedback: ${why}`;
        const state = { status: "error", input: { command: `rm ${at}` }, error };
        session.call({ type: "tool", tool: "bash", callID: "call", state });
        return;
      }
      case "boundary":
        session.send({ kind: one.kind, idleMs: 1 } as Boundary);
    }
  }

  #prompt(words: string, pasted = ""): void {
    this.typed.push(words);
    this.session.prompt(pasted === "" ? words : `${words}\n\n${pasted}`);
  }

  #answer(words: string): string {
    this.answered.push(words.replaceAll("\n", " "));
    return words;
  }

  get records(): readonly string[] {
    return this.session.sent.flatMap(({ parts }) =>
      parts.filter(isSyntheticPart).flatMap((part) => (isText(part) ? [part.text] : [])),
    );
  }
}

/** Plays sessions of any shape, and looks at each request of theirs, with the messages that it was made of. */
function eachRequest(look: (played: PlayedRun, known: readonly HostMessage[]) => void) {
  let rewrites = 0;
  fc.assert(
    fc.property(steps, windows, (some, usableTokens) => {
      const played = new PlayedRun(usableTokens);
      for (const [at, one] of some.entries()) {
        const calls = played.session.sizes.length;
        const known = [...played.session.messages];
        played.play(one, at);
        if (played.session.sizes.length > calls) look(played, known);
      }
      rewrites += played.session.rewrites.length;
    }),
    { numRuns: 20, endOnFailure: true },
  );
  expect(rewrites).toBeGreaterThan(20);
}

test("I31 Said: what the user has typed stands in each request where he typed it, word for word", () => {
  eachRequest(({ session: { sent }, typed }, known) => {
    const prompts = sent.filter(({ info }) => info.role === "user");
    const own = prompts.flatMap(({ parts }) => parts.filter((part) => !isSyntheticPart(part)));
    const texts = own.map((part) => (isText(part) ? part.text : ""));
    expect(texts.length).toBe(known.filter(({ info }) => info.role === "user").length);
    expect(texts.length).toBe(typed.length);
    for (const [at, text] of texts.entries()) {
      const words = typed[at] ?? "";
      if (text !== words) expect(text).toStartWith(`${words}\n\n${LOG[0]}\n`);
    }
  });
});

test("I31 Said: what he has answered and why he has refused stands in each request, too", () => {
  eachRequest(({ session, answered }, known) => {
    if (answered.length === 0) return;
    const sent = JSON.stringify(session.sent).replaceAll("\\\\n", " ").replaceAll("\\n", " ");
    const said = JSON.stringify(known).replaceAll("\\n", " ");
    for (const words of answered) if (said.includes(words)) expect(sent).toContain(words);
  });
});

test("no two of the user's messages stand in a row that the host did not send so, and each record stands once", () => {
  const doubles = (messages: SimulatedSession["sent"]) => {
    const roles = messages.filter(isSent).map(({ info }) => info.role);
    return roles.filter((role, at) => role === "user" && roles[at - 1] === "user").length;
  };
  eachRequest(({ session: { sent }, records }, known) => {
    expect(doubles(sent)).toBeLessThanOrEqual(doubles(known));
    expect(new Set(sent.flatMap(({ parts }) => parts).map(({ id }) => id)).size).toBe(
      sent.flatMap(({ parts }) => parts).length,
    );
    for (const record of records) expect(record).toStartWith("<session-history>");
  });
});

test("records take no more than their budget, beside what they keep whole", () => {
  eachRequest(({ usableTokens, records }) => {
    const aged = records.map((text) => text.replace(/^(?:Asked|Answered|Refused): .*\n\n/gm, ""));
    const tokens = aged.reduce((sum, text) => sum + estimateTokens(text), 0);
    expect(tokens).toBeLessThanOrEqual(resolveBudget(settings, usableTokens));
  });
});

test("the newest three results have no stub in their place, but where a call would not fit", () => {
  let seen = 0;
  eachRequest(({ session }, known) => {
    // Once one had to go, it stays away.
    if (session.rewrites.some(({ boundary }) => boundary === "pressure")) return;
    const results = known.flatMap(({ parts }) => parts.filter(isTool));
    const sent = new Map(session.sent.flatMap(({ parts }) => parts.map((part) => [part.id, part])));
    for (const part of results.filter(hasEnded).slice(-3)) {
      // One in a fold is not sent at all.
      if (sent.has(part.id)) seen += 1;
      expect(sent.get(part.id) ?? part).toBe(part);
    }
  });
  expect(seen).toBeGreaterThan(300);
});
