import { describe, expect, test } from "bun:test";
import { listEdits } from "@session-runtime/opencode/ledger/entry";
import type { HostMessage } from "@session-runtime/opencode/ledger/message";
import { replay } from "@session-runtime/opencode/ledger/replay";
import type { SessionRuntime } from "@session-runtime/opencode/session/runtime";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import { briefed, summarized } from "../src/compaction.ts";
import { KnownRows } from "../src/known-rows.ts";
import type { PiContext, PiMessage } from "../src/pi.ts";

const prompt = (said: string, timestamp: number): PiMessage => ({
  role: "user",
  content: said,
  timestamp,
});
const session = [prompt("One.", 1), prompt("Two.", 2), prompt("Three.", 3)];
const model = { provider: "mock", id: "plain-1" };
const preparation = { firstKeptEntryId: "e2", messagesToSummarize: [], isSplitTurn: false };

function createContext(messages: readonly PiMessage[]): PiContext {
  const entries = messages.map((one, at) => ({ sourceEntry: { id: `e${at}` }, messages: [one] }));
  return {
    model,
    sessionManager: { buildSessionProjection: () => ({ entries }) },
    modelRegistry: { getApiKeyAndHeaders: async () => ({ apiKey: "key", headers: { a: "b" } }) },
  } as unknown as PiContext;
}

/** `folded`: the first two prompts were. */
function createDeps(brief: readonly string[], history: "folded" | "whole") {
  const marked: string[] = [];
  const edit = { verb: "fold", first: "e0", last: "e1", text: "Folded." } as const;
  const edits = history === "folded" ? listEdits([{ seq: 1, edit }]) : [];
  const runtime = {
    beginCompaction: (id: string) => void marked.push(id),
    projectHistory: async (rows: readonly HostMessage[]) => replay(edits, rows),
  } as unknown as SessionRuntime;
  const dispatch = async (name: string, ...given: readonly unknown[]) => {
    const [, output] = given as [string, { context: string[] }];
    if (name === "compacting") output.context.push(...brief);
  };
  const known = new KnownRows();
  return { deps: { runtime, dispatch, sessionId: "s1" as SessionId, known }, marked };
}

describe("a compaction of Pi's", () => {
  test("is asked for what the work needs, and made of what is sent", async () => {
    const { deps, marked } = createDeps(["Keep the plan."], "folded");
    expect(await briefed(deps, preparation, createContext(session))).toEqual({
      preparation: {
        ...preparation,
        messagesToSummarize: [
          { role: "user", content: [{ type: "text", text: "Folded." }], timestamp: 0 },
        ],
      },
      instructions: "Keep the plan.",
    });
    expect(marked).toEqual(["s1"]);
  });

  test("is Pi's own where there is nothing to add", async () => {
    const { deps } = createDeps([], "whole");
    expect(await briefed(deps, preparation, createContext(session))).toBeNull();
  });

  test("keeps Pi's own messages where the cut lies within a turn", async () => {
    const { deps, marked } = createDeps(["Keep the plan."], "folded");
    const split = { ...preparation, isSplitTurn: true };
    const brief = await briefed(deps, split, createContext(session));
    expect(brief?.preparation).toEqual(split);
    expect(marked).toEqual([]);
  });

  test("is asked for by Pi's own means, after the user's own focus", async () => {
    const asked: unknown[] = [];
    const compact = async (...given: readonly unknown[]) => {
      asked.push(...given);
      return { summary: "Done." };
    };
    const { signal } = new AbortController();
    const brief = { preparation, instructions: "Keep the plan." };
    const focused = { customInstructions: "Be short.", signal, compact };
    const ctx = createContext(session);
    expect(await summarized(brief, focused, ctx)).toEqual({ summary: "Done." });
    const focus = "Be short.\n\nKeep the plan.";
    expect(asked).toEqual([preparation, model, "key", { a: "b" }, focus, signal]);
  });
});
