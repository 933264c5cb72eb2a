// A tool's result, bounded by a feature before the host does.
import { expect, test } from "bun:test";
import { boundOutput } from "../../src/hooks-v2/output.ts";

type SettledOutput = { output?: string; content?: unknown; metadata: object };

async function bounded(event: object, change: (settled: SettledOutput) => void = () => undefined) {
  const calls: unknown[] = [];
  const dispatch = async (...given: readonly unknown[]) => {
    calls.push(given.slice(0, 2));
    change(given[2] as SettledOutput);
  };
  const base = { tool: "bash", id: "a", status: "completed" };
  return { calls, result: await boundOutput({ ...base, ...event } as never, dispatch) };
}

test("a text that a feature shortens is sent as shortened; the rest of the result stays", async () => {
  const given = { result: { content: "long", title: "T", metadata: { exit: 0 } } };
  const { calls, result } = await bounded(given, (settled) => {
    settled.output = "l…g";
    settled.metadata = { ...settled.metadata, bounded: true };
  });
  expect(calls).toEqual([["toolSettled", { tool: "bash", callId: "a" }]]);
  expect(result as unknown).toEqual({
    ...{ content: "l…g", title: "T" },
    metadata: { exit: 0, bounded: true, truncated: true },
  });
});

test("parts that a feature shortens are sent as shortened", async () => {
  const content = [{ type: "text", text: "long" }];
  const { result } = await bounded({ result: { content } }, (settled) => {
    settled.content = [];
  });
  expect(result).toEqual({ content: [], metadata: { truncated: true } });
});

const FILE = { uri: "file:///p/a.ts", name: "a.ts", content: "one\ntwo\nthree" };

/** The places in which a result may hold the line of a file. */
const PLACES: readonly (readonly [string, (file: object) => object])[] = [
  ["of an output beside an empty text", (file) => ({ output: file, content: "" })],
  [
    "of an output beside empty parts",
    (file) => ({ output: file, content: [{ type: "text", text: "" }] }),
  ],
  ["of an output alone", (file) => ({ output: file })],
  ["as the text", (file) => ({ content: JSON.stringify(file) })],
  ["as the one part", (file) => ({ content: [{ type: "text", text: JSON.stringify(file) }] })],
];

test.each(PLACES)("a file that is read is bounded within its line: %s", async (_, buildResult) => {
  const whole: unknown[] = [];
  const { result } = await bounded({ tool: "read", result: buildResult(FILE) }, (settled) => {
    whole.push(settled.output);
    settled.output = "one\n…\nthree";
  });
  expect(whole).toEqual([FILE.content]);
  const shorter = { ...FILE, content: "one\n…\nthree" };
  expect(result as unknown).toEqual({ ...buildResult(shorter), metadata: { truncated: true } });
  expect((await bounded({ tool: "read", result: buildResult(FILE) })).result).toBeNull();
});

test.each([
  ["a list in place of a text", { output: { uri: "a", content: ["x"] }, content: "" }],
  ["no address", { output: { content: "x" }, content: "" }],
  ["texts beside it", { output: FILE, content: "Read." }],
  [
    "two parts",
    {
      output: FILE,
      content: [
        { type: "text", text: "" },
        { type: "text", text: "" },
      ],
    },
  ],
])("an output is no file's line, and stays as it is: %s", async (_, result) => {
  const seen: unknown[] = [];
  await bounded({ tool: "read", result }, (settled) => seen.push(settled.output));
  expect(seen).not.toContain(FILE.content);
  expect(seen).not.toContain("x");
});

test("what no feature changes stays, also without a result", async () => {
  expect((await bounded({ result: { content: "short" } })).result).toBeNull();
  expect((await bounded({ result: { content: [] } })).result).toBeNull();
  const { calls, result } = await bounded({});
  expect([calls.length, result]).toEqual([1, null]);
});

test("no feature sees a call that failed, or what the host has truncated", async () => {
  for (const event of [
    { status: "error", result: { content: "long" } },
    { result: { content: "long", metadata: { truncated: true } } },
  ]) {
    expect(await bounded(event)).toEqual({ calls: [], result: null });
  }
});
