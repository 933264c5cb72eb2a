import { expect, test } from "bun:test";
import type { HostMessage } from "@session-runtime/opencode/ledger/message";
import { measureScale, scaled } from "../../src/estimate/scale.ts";
import { buildSkeleton } from "../../src/estimate/skeleton.ts";

let ids = 0;

function message(info: object, ...parts: readonly object[]): HostMessage {
  ids += 1;
  const id = `msg_${ids}`;
  const base = { id, sessionID: "ses_a", role: "user" as const };
  return {
    info: { ...base, ...info },
    parts: parts.map((part, at) => {
      return { id: `prt_${id}_${at}`, messageID: id, sessionID: "ses_a", type: "text", ...part };
    }),
  };
}

function answer(atMs: number, ...parts: readonly object[]): HostMessage {
  return message({ role: "assistant", time: { created: 5_000 + atMs } }, ...parts);
}

function call(tool: string, input: object, output: string): object {
  return { type: "tool", tool, state: { status: "completed", input, output } };
}

const named = { name: "ses_a", model: "some/model" };

test("a session becomes sizes, kinds, times and uses", () => {
  const read = { filePath: "/work/a.ts", offset: 40 };
  const edit = { filePath: "/work/a.ts", oldString: "firstName", newString: "secondName" };
  const failed = { type: "tool", tool: "bash", state: { status: "error", input: {}, error: "no" } };
  const skeleton = buildSkeleton(
    [
      message({}, { text: "Mend it." }, { text: "hidden", ignored: true }),
      answer(
        0,
        { type: "reasoning", text: "Hm." },
        { text: "I look." },
        call("read", read, "firstName\nthirdName"),
      ),
      answer(2_500, call("edit", edit, "Done."), failed, call("mcp_thing", { a: 1 }, "x")),
      message({}, { text: "And now?" }),
      answer(60_000, { text: "firstName and thirdName are there." }),
    ],
    named,
  );
  expect(skeleton).toEqual({
    session: "ses_a",
    model: "some/model",
    harness: "opencode",
    turns: [
      {
        chars: 8,
        steps: [
          {
            s: 0,
            chars: 10,
            needs: [],
            calls: [
              {
                tool: "read",
                target: 0,
                from: 40,
                chars: JSON.stringify(read).length,
                result: 0,
                resultChars: "firstName\\nthirdName".length,
              },
            ],
          },
          {
            s: 2.5,
            chars: 0,
            needs: [],
            calls: [
              {
                tool: "edit",
                target: 0,
                chars: JSON.stringify(edit).length,
                result: 1,
                resultChars: 5,
              },
              { tool: "bash", target: 1, chars: 2, result: 2, resultChars: 2, failed: true },
              { tool: "other", target: 2, chars: 7, result: 3, resultChars: 1 },
            ],
          },
        ],
      },
      // One of the two names was said with the edit.
      { chars: 8, steps: [{ s: 60, chars: 34, calls: [], needs: [] }] },
    ],
  });
});

test("what a later step says of a result is a need of it, in arguments too", () => {
  const skeleton = buildSkeleton(
    [
      message({}, { text: "Go." }),
      answer(0, call("bash", { command: "ls" }, "src/shop/cart.ts\nsrc/shop/till.ts")),
      answer(1, call("read", { filePath: "/w/src/shop/cart.ts" }, "x"), { text: "shop/till.ts" }),
    ],
    named,
  );
  expect(skeleton.turns[0]?.steps.map(({ needs }) => needs)).toEqual([[], [0]]);
});

test("a compaction leaves no trace: its request, its summary, and the host's word to continue", () => {
  const before = [message({}, { text: "Go." }), answer(0, call("bash", { command: "ls" }, "x"))];
  const after = [answer(9, { text: "Done." })];
  const between = [
    message({}, { type: "compaction", auto: true }),
    message({ role: "assistant", summary: true }, { text: "A summary." }),
    message({}, { text: "Continue if you have next steps", synthetic: true }),
  ];
  expect(buildSkeleton([...before, ...between, ...after], named)).toEqual(
    buildSkeleton([...before, ...after], named),
  );
});

test("the first call says how large the front is, and the growth of the prompt how the model counts", () => {
  const big = "some words of a result ".repeat(2_000);
  const counted = (prompt: number, ...parts: readonly object[]) => {
    const tokens = { input: prompt, output: 1, cache: { read: 0, write: 0 } };
    return message({ role: "assistant", tokens }, ...parts);
  };
  const prompt = message({}, { text: "Go." });
  const result = call("bash", { command: "ls" }, big);
  const usual = measureScale([prompt, counted(8_010, result), counted(8_010 + 11_540)]);
  expect(usual.perEstimated).toBeCloseTo(1, 2);
  expect(usual.frontTokens).toBeCloseTo(8_003, -1);
  const finer = measureScale([
    prompt,
    counted(8_010, result),
    counted(8_010 + 17_300, result),
    // What is smaller again was compacted: it says nothing.
    counted(12_000),
  ]);
  expect(finer.perEstimated).toBeCloseTo(1.5, 2);
  const skeleton = buildSkeleton([prompt, counted(8_010, result)], named);
  const [step] = scaled(skeleton, finer).turns[0]?.steps ?? [];
  expect(step?.calls[0]?.resultChars).toBe(Math.round(finer.perEstimated * big.length));
});
