import { describe, expect, test } from "bun:test";
import { openTool } from "../../src/feature-api/open-tool.ts";
import {
  type Arguments,
  declareTool,
  type ToolCall,
  toArgumentSchemas,
} from "../../src/feature-api/tool.ts";
import { UserFacingError } from "../../src/feature-api/user-facing-error.ts";
import { defineTool } from "../../src/hooks/tools.ts";
import { guardTools } from "../../src/runtime/dispatch-hooks.ts";
import type { SessionId } from "../../src/storage/records.ts";

const stop = new AbortController();

function callWith(abort: AbortSignal): ToolCall {
  return { sessionId: "ses_1" as SessionId, messageId: "msg_1", agent: "build", abort };
}

const call = callWith(new AbortController().signal);

const declared = declareTool({
  name: "ctx_test",
  description: "Test.",
  args: {
    ref: { kind: "text", need: "required", says: "which one" },
    drop: { kind: "texts", need: "optional", says: "what goes" },
    lines: { kind: "integer", need: "optional", atLeast: 1, atMost: 9, says: "how many" },
    where: { kind: "choice", need: "optional", of: ["here", "there", "over_there"], says: "where" },
  },
});

function guarded(work: () => Promise<string>) {
  const failures: unknown[] = [];
  const tool = openTool(declared, async () => ({ title: "", text: await work() }));
  const run = guardTools(() => [tool], {
    failed: (where, error) => failures.push([where, error]),
    worked: () => undefined,
    storageWorks: () => undefined,
  });
  return { run, failures };
}

describe("a tool of ours", () => {
  test("gets what fits as it was given, and null for what was left out", async () => {
    const taken: unknown[] = [];
    const tool = openTool(declared, async (given) => {
      taken.push(given);
      return { title: "", text: "" };
    });
    await tool.run({ ref: "a" }, call);
    await tool.run({ ref: "", drop: ["b"], lines: 9, where: "there" }, call);
    await tool.run({ ref: "a", drop: null }, call);
    expect(taken).toEqual([
      { ref: "a", drop: null, lines: null, where: null },
      { ref: "", drop: ["b"], lines: 9, where: "there" },
      { ref: "a", drop: null, lines: null, where: null },
    ]);
  });

  test.each([
    [{ ref: 5433 }, { ref: "5433" }],
    [{ ref: ["m:k3f9ab", "m:9w2c4t"] }, { ref: "m:k3f9ab, m:9w2c4t" }],
    [{ drop: "read src/a.ts" }, { drop: ["read src/a.ts"] }],
    [{ drop: '["read a.ts", "bash make"]' }, { drop: ["read a.ts", "bash make"] }],
    [{ drop: "[r:k3f9ab]" }, { drop: ["[r:k3f9ab]"] }],
    [{ drop: "[1]" }, { drop: ["[1]"] }],
    [{ lines: "3" }, { lines: 3 }],
    [{ where: "Over-There" }, { where: "over_there" }],
    [{ drop: " ", lines: "", where: "" }, {}],
  ])("reads %j as it was meant", async (given, expected) => {
    const taken: unknown[] = [];
    const tool = openTool(declared, async (read) => {
      taken.push(read);
      return { title: "", text: "" };
    });
    await tool.run({ ref: "a", ...given }, call);
    expect(taken).toEqual([{ ref: "a", drop: null, lines: null, where: null, ...expected }]);
  });

  for (const [given, reason] of [
    [{}, "The argument ref is missing: which one"],
    [null, "The argument ref is missing: which one"],
    ["a", "The argument ref is missing: which one"],
    [{ ref: true }, "The argument ref must be a string."],
    [{ ref: { ref: "a" } }, "The argument ref must be a string."],
    [{ ref: ["a", 1] }, "The argument ref must be a string."],
    [{ ref: "a", drop: 1 }, "The argument drop must be an array of strings."],
    [{ ref: "a", drop: ["b", 2] }, "The argument drop must be an array of strings."],
    [{ ref: "a", lines: 0 }, "The argument lines must be a whole number from 1 to 9."],
    [{ ref: "a", lines: 10 }, "The argument lines must be a whole number from 1 to 9."],
    [{ ref: "a", lines: 1.5 }, "The argument lines must be a whole number from 1 to 9."],
    [{ ref: "a", lines: "3 or so" }, "The argument lines must be a whole number from 1 to 9."],
    [{ ref: "a", where: "no" }, 'The argument where must be one of "here", "there", "over_there".'],
    [{ ref: "a", refs: "b" }, 'Unknown argument "refs": ctx_test takes ref, drop, lines, where.'],
    [
      { ref: "a", toString: "b" },
      'Unknown argument "toString": ctx_test takes ref, drop, lines, where.',
    ],
  ] as const) {
    test(`is not run with ${JSON.stringify(given)}, and nothing is reported`, async () => {
      const { run, failures } = guarded(() => Promise.reject(new Error("must not run")));
      expect(run("ctx_test", given, call)).rejects.toEqual(new UserFacingError(reason));
      expect(failures).toEqual([]);
    });
  }

  test("repeats little of the names that a model has made up", async () => {
    const tool = openTool(declared, async () => ({ title: "", text: "" }));
    const made = Array.from({ length: 500 }, (_, n) => [`${n}`.padEnd(2_000, "x"), 1]);
    const answer = await tool.run(Object.fromEntries(made), call).catch((error) => error.message);
    expect(answer).toStartWith('Unknown argument "0xxx');
    expect(answer.length).toBeLessThan(500);
  });

  test("I15: that fails is reported once; the model reads a sentence that quotes nothing", async () => {
    const error = new TypeError("secret");
    const { run, failures } = guarded(() => Promise.reject(error));
    expect(run("ctx_test", { ref: "a" }, call)).rejects.toThrow(/^ctx_test failed; [^:]*$/);
    await Bun.sleep(0);
    expect(failures).toEqual([["ctx_test", error]]);
  });

  test("that the user has stopped is not reported", async () => {
    const { run, failures } = guarded(async () => {
      stop.abort();
      throw new Error("stopped");
    });
    const stopped = run("ctx_test", { ref: "a" }, callWith(stop.signal));
    expect(stopped).rejects.toThrow("ctx_test was stopped.");
    await Bun.sleep(0);
    expect(failures).toEqual([]);
  });

  test("whose feature could not be opened says that it is not available", async () => {
    const { run, failures } = guarded(async () => "");
    expect(run("ctx_other", {}, call)).rejects.toThrow("ctx_other is not available.");
    expect(failures).toEqual([]);
  });

  test("has its optional arguments taken out of the required ones, and others' tools are left alone", () => {
    const features = [{ name: "test", tools: [declared], open: async () => ({}) }];
    const output = () => ({
      description: "",
      parameters: {},
      jsonSchema: { type: "object", required: Object.keys(declared.args) },
    });
    const [ours, other] = [output(), output()];
    defineTool(features, "ctx_test", ours);
    defineTool(features, "bash", other);
    expect(ours.jsonSchema).toEqual({ type: "object", required: ["ref"] });
    expect(other).toEqual(output());
  });

  test("is left alone where the host gives no schema that could be changed", () => {
    const features = [{ name: "test", tools: [declared], open: async () => ({}) }];
    for (const output of [
      { description: "", parameters: {} },
      { description: "", parameters: {}, jsonSchema: null },
      { description: "", parameters: {}, jsonSchema: "none" },
    ]) {
      const before = structuredClone(output);
      defineTool(features, "ctx_test", output);
      expect(output).toEqual(before);
    }
  });

  test("without required arguments names none", () => {
    const loose = declareTool({
      ...declared,
      args: { many: { kind: "count", need: "optional", says: "" } },
    });
    const output = {
      description: "",
      parameters: {},
      jsonSchema: { required: ["many"], type: "object" },
    };
    defineTool([{ name: "test", tools: [loose], open: async () => ({}) }], "ctx_test", output);
    expect(output.jsonSchema).toEqual({ type: "object" } as never);
    expect(toArgumentSchemas(loose.args)).toEqual({ many: { type: "integer" } });
  });

  test("a count is a whole number from 1 on; a missing argument without a word is said by its form", async () => {
    const many = declareTool({
      ...declared,
      args: { many: { kind: "count", need: "required", says: "" } },
    });
    const tool = openTool(many, async (given) => ({ title: "", text: String(given.many) }));
    expect((await tool.run({ many: 10 ** 12 }, call)).text).toBe("1000000000000");
    for (const wrong of [0, 1.5, "0", "1.5"]) {
      expect(tool.run({ many: wrong }, call)).rejects.toThrow("a whole number from 1 on");
    }
    expect(tool.run({}, call)).rejects.toThrow("is missing: a whole number from 1 on");
  });

  test("is declared in JSON Schema", () => {
    const args: Arguments = declared.args;
    expect(toArgumentSchemas(args)).toEqual({
      ref: { type: "string", description: "which one" },
      drop: { type: "array", items: { type: "string" }, description: "what goes" },
      lines: { type: "integer", minimum: 1, maximum: 9, description: "how many" },
      where: { type: "string", enum: ["here", "there", "over_there"], description: "where" },
    });
  });
});
