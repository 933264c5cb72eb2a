import { expect, test } from "bun:test";
import { planReduce, renderReducePlan } from "../../../src/features/history/reduce.ts";
import type { HostMessage } from "../../../src/ledger/message.ts";
import { deriveRef } from "../../../src/ledger/ref.ts";
import { onlyPart, ran } from "../search/stage.ts";

const planned = (messages: readonly HostMessage[], ...drop: readonly string[]) =>
  planReduce(messages, drop, "/work");
const words = (messages: readonly HostMessage[], ...drop: readonly string[]) =>
  planned(messages, ...drop).matched.map((one) => one.words);

const read = (path: string) => ran("read", { filePath: `/work/${path}` }, "x".repeat(400));
const bash = (command: string) => ran("Bash", { command }, "x".repeat(40));

const ADVICE =
  "Name a call as it was made (read src/a.ts, bash npm test) or by its ref (r:k3f9ab).";

test("results go in the order of the history, each once, however often they are named", () => {
  const history = [read("a.ts"), read("b.ts")];
  const [, second] = history;
  const ref = second ? deriveRef("r", onlyPart(second).id) : "";
  expect(words(history, "read b.ts", "read a.ts", ref)).toEqual(["read a.ts", "read b.ts"]);
});

test("a call is named by its tool and what it was about, whatever their case and spaces", () => {
  const history = [bash("npm  test"), bash("npm test -- --watch"), read("src/npm test")];
  expect(words(history, " BASH  npm \n test ")).toEqual([
    "Bash npm test",
    "Bash npm test -- --watch",
  ]);
  expect(words(history, "bash npm tes")).toEqual([]);
  expect(words(history, "bash")).toEqual([]);
  expect(words(history, "bash ")).toEqual([]);
});

test("a path is named by its end, from the beginning of a name on", () => {
  const history = [read("src/deep/a.ts"), read("src/aa.ts")];
  expect(words(history, "read a.ts")).toEqual(["read src/deep/a.ts"]);
  expect(words(history, "read deep/a.ts")).toEqual(["read src/deep/a.ts"]);
  expect(words(history, "read src/deep")).toEqual([]);
});

test("a call whose words are cut is named by all of them", () => {
  const command = `echo ${"word ".repeat(40)}end`;
  const history = [bash(command)];
  expect(words(history, `bash ${command}`)).toHaveLength(1);
  expect(words(history, `bash ${command.replace("echo", "cat")}`)).toEqual([]);
  expect(words(history, "bash echo word")).toEqual([]);
});

test("a hundred things are looked for at most", () => {
  const asked = Array.from({ length: 120 }, (_, at) => `read none${at}.ts`);
  const { unknown } = planned([read("a.ts")], ...asked);
  expect(unknown).toEqual(asked.slice(0, 100));
  expect(words([read("a.ts")], ...asked.slice(0, 99), "read a.ts")).toHaveLength(1);
  expect(words([read("a.ts")], ...asked.slice(0, 100), "read a.ts")).toEqual([]);
});

test("the answer names what goes and what it frees", () => {
  expect(renderReducePlan(planned([read("a.ts")], "read a.ts"))).toBe(
    "Noted: 1 result, about 100 tokens, will go when it pays.\n- read a.ts: 100 tokens",
  );
  expect(renderReducePlan(planned([read("a.ts"), bash("ls")], "read a.ts", "bash ls"))).toStartWith(
    "Noted: 2 results, about 110 tokens, will go when it pays.\n",
  );
});

test("it names twenty results, and counts the others", () => {
  const named = (count: number) => {
    const history = Array.from({ length: count }, (_, at) => read(`${at}/a.ts`));
    return renderReducePlan(planned(history, "read a.ts")).split("\n").slice(1);
  };
  expect(named(20)).toHaveLength(20);
  expect(named(22)).toHaveLength(21);
  expect(named(22).at(-1)).toBe("- and 2 more");
});

test("what wasn't found is named, up to twenty, each with 100 characters, and how a call is named", () => {
  const asked = Array.from({ length: 25 }, (_, at) => `read ${at} ${"x".repeat(200)}`);
  const lines = renderReducePlan(planned([read("a.ts")], "read a.ts", ...asked)).split("\n");
  expect(lines).toHaveLength(2 + 20 + 1);
  expect(lines[2]).toBe(`Not found: ${asked[0]?.slice(0, 100)}`);
  expect(lines.at(-1)).toBe(ADVICE);
  expect(renderReducePlan(planned([], ...[]))).toBe(ADVICE);
});
