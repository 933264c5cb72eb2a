import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { NotJsonError } from "../../src/context/canonical.ts";
import { describeFailure } from "../../src/sources/custom-spec.ts";
import { createDayReader, isTimeZone, parseDate, replaceDate } from "../../src/sources/date.ts";
import {
  createEnvironmentSource,
  type Environment,
  parseEnvironment,
} from "../../src/sources/environment.ts";
import { areTextsEqual, isHttpUrl } from "../../src/sources/instruction-discovery.ts";
import { parseModel } from "../../src/sources/model.ts";
import { ObservedBlocks } from "../../src/sources/observed.ts";
import { countBytesToRead, decodeUtf8, limitText } from "../../src/sources/read-file.ts";
import { withTimeout } from "../../src/sources/with-timeout.ts";

const NOTE = (bytes: number) => `\n[Cut here: the rest, after ${bytes} bytes, is left out.]`;

describe("a text's limit", () => {
  const rows = [
    ["abc", 3, "abc"],
    ["abcd", 3, `abc${NOTE(3)}`],
    ["ééé", 6, "ééé"],
    ["ééé", 5, `éé${NOTE(5)}`],
    ["日本", 6, "日本"],
    ["日本", 5, `日${NOTE(5)}`],
    ["😀", 3, NOTE(3)],
    ["😀😀", 7, `😀${NOTE(7)}`],
    ["a😀b", 5, `a😀${NOTE(5)}`],
    ["\uffff\uffff", 5, `\uffff${NOTE(5)}`],
    ["\ud83dab", 4, `\ud83da${NOTE(4)}`],
    ["", 0, ""],
  ] as const;
  test.each(rows)("%j within %d bytes", (text, limit, shown) => {
    expect(limitText(text, limit)).toBe(shown);
  });

  test("what is read of a longer one is cut as the whole would be", () => {
    expect(countBytesToRead(10)).toBe(18);
    const text = fc.string({ unit: fc.constantFrom("a", "é", "日", "😀", "\uFEFF", "\ufffd") });
    fc.assert(
      fc.property(text, fc.nat(20), (words, limitBytes) => {
        const whole = new TextEncoder().encode(words);
        const part = whole.slice(0, countBytesToRead(limitBytes));
        expect(limitText(decodeUtf8(part), limitBytes)).toBe(
          limitText(decodeUtf8(whole), limitBytes),
        );
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("a wait", () => {
  test("gives what comes in time, or what stands for it; a failure in time is a failure", async () => {
    expect(await withTimeout(1_000, Promise.resolve("work"), () => "late")).toBe("work");
    const never = new Promise<string>(() => undefined);
    expect(await withTimeout(5, never, () => "late")).toBe("late");
    await expect(withTimeout(1_000, Promise.reject(new Error("no")), () => "late")).rejects.toThrow(
      "no",
    );
  });

  test("leaves no timer", async () => {
    const cleared = globalThis.clearTimeout;
    let count = 0;
    globalThis.clearTimeout = ((timer?: number) => {
      count += 1;
      cleared(timer);
    }) as typeof clearTimeout;
    await withTimeout(1_000, Promise.resolve(1), () => 0);
    globalThis.clearTimeout = cleared;
    expect(count).toBe(1);
  });
});

describe("what is said of an error", () => {
  test("is our own words, or its class and code, never its message", () => {
    const ours = new NotJsonError("at x", "a function");
    expect(describeFailure("it", ours)).toBe(ours.message);
    expect(describeFailure("it", new TypeError("secret"))).toBe("it threw TypeError");
    expect(describeFailure("it", Object.assign(new Error("secret"), { code: "ENOENT" }))).toBe(
      "it threw Error ENOENT",
    );
    expect(describeFailure("it", Object.assign(new Error("secret"), { code: 7 }))).toBe(
      "it threw Error",
    );
    expect(describeFailure("it", "secret")).toBe("it threw no error but a string");
  });
});

test("texts are the same in number, words and order", () => {
  expect(areTextsEqual([], [])).toBe(true);
  expect(areTextsEqual(["a", "b"], ["a", "b"])).toBe(true);
  for (const other of [["a"], ["a", "c"], ["b", "a"], ["a", "b", "c"]]) {
    expect(areTextsEqual(["a", "b"], other)).toBe(false);
  }
});

test("an address is one of the web, from its beginning on", () => {
  expect(["https://x", "http://x", "xhttps://x", "file://x", "httpx://"].map(isHttpUrl)).toEqual([
    ...[true, true, false, false, false],
  ]);
});

describe("the day", () => {
  test("of a zone has four digits for its year, two for its day", () => {
    const formatDay = createDayReader("UTC");
    expect(formatDay(Date.UTC(2026, 0, 2))).toBe("Fri Jan 02 2026");
    expect(formatDay(Date.UTC(0, 0, 2) - 0)).toMatch(/ 1900$/);
    expect(formatDay(new Date("0099-01-02T00:00:00Z").getTime())).toMatch(/ 0099$/);
    expect([isTimeZone("Asia/Tokyo"), isTimeZone("Nowhere")]).toEqual([true, false]);
  });

  test("is read off the end of the environment block, and put there", () => {
    const block = "<env>\n  Today's date: Fri Jan 02 2026\n</env>";
    expect(parseDate(block)).toBe("Fri Jan 02 2026");
    expect(replaceDate(block, "$& Sat")).toBe("<env>\n  Today's date: $& Sat\n</env>");
    for (const other of [
      `${block}\n`,
      "<env>\n  Today's date: \n</env>",
      block.replace("  ", " "),
    ]) {
      expect(parseDate(other)).toBeNull();
    }
    expect(replaceDate(`${block}\n`, "Sat")).toBe(`${block}\n`);
  });
});

describe("the environment", () => {
  const given: Environment = { directory: "/p", worktree: "/", git: "yes", platform: "linux" };
  const block = (changes: Partial<Environment> = {}) => {
    const { directory, worktree, git, platform } = { ...given, ...changes };
    return `<env>\n  Working directory: ${directory}\n  Workspace root folder: ${worktree}\n  Is directory a git repo: ${git}\n  Platform: ${platform}\n  Today's date: x\n</env>`;
  };

  test("is the same object for the same one, and well-formed", () => {
    let now = { ...given, directory: "/\ud83d" };
    const { load } = createEnvironmentSource(() => now);
    const first = load();
    expect(first).toEqual({ ...given, directory: "/\ufffd" });
    expect(load()).toBe(first as never);
    now = { ...given };
    expect(load()).toEqual(given);
  });

  test("is read off a frozen block, line breaks in paths included", () => {
    expect(parseEnvironment(`x\n${block()}`)).toEqual(given);
    expect(parseEnvironment(block({ directory: "/p\nq" }))?.directory).toBe("/p\nq");
    expect(parseEnvironment(block({ worktree: "/p\nq" }))?.worktree).toBe("/p\nq");
    for (const other of [`${block()}\n`, block({ git: "maybe" as "yes" }), "", "<env>\n</env>"]) {
      expect(parseEnvironment(other)).toBeNull();
    }
  });
});

test("a model is read off the first line of a frozen block, where both its names agree", () => {
  const line = (model: string, exact: string) =>
    `You are powered by the model named ${model}. The exact model ID is ${exact}\n`;
  expect(parseModel(line("gpt-6", "openai/gpt-6"))).toEqual({
    ...{ providerID: "openai", modelID: "gpt-6" },
  });
  for (const other of [line("gpt-6", "openai/gpt-5"), `x${line("a", "b/a")}`, "", line("a", "a")]) {
    expect(parseModel(other)).toBeNull();
  }
});

describe("the host's lists", () => {
  const sources = new ObservedBlocks();
  const states = (sighting: Parameters<ObservedBlocks["recordSighting"]>[0]) => {
    sources.recordSighting(sighting);
    return sources.createSources().map(({ key, load }) => [key, load()]);
  };

  test("are references, MCP servers and skills, each as the host renders it, or absent", () => {
    const [references, mcp, skills] = states({ references: "r\ud83d", mcp: null, skills: "s" });
    expect(references).toEqual(["core/references", "r\ufffd"]);
    expect(mcp?.[0]).toBe("core/mcp");
    expect(typeof mcp?.[1]).not.toBe("string");
    expect(skills).toEqual(["core/skills", "s"]);
  });
});
