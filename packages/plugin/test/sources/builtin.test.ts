import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { absent, type SourceDefinition, Unavailable } from "../../src/context/source.ts";
import { createDateSource, isTimeZone, parseDate, replaceDate } from "../../src/sources/date.ts";
import { createEnvironmentSource, parseEnvironment } from "../../src/sources/environment.ts";
import { createModelSource, parseModel } from "../../src/sources/model.ts";
import { ObservedBlocks } from "../../src/sources/observed.ts";

const block = (date: string) =>
  [
    "You are powered by the model named claude-mock. The exact model ID is mock/claude-mock",
    "Here is some useful information about the environment you are running in:",
    "<env>",
    "  Working directory: /work/app",
    "  Workspace root folder: /work",
    "  Is directory a git repo: yes",
    "  Platform: linux",
    `  Today's date: ${date}`,
    "</env>",
  ].join("\n");
const environment = {
  directory: "/work/app",
  worktree: "/work",
  git: "yes",
  platform: "linux",
} as const;

async function loaded<T>(source: SourceDefinition<T>): Promise<T> {
  const value = await source.load();
  if (value === absent || value instanceof Unavailable) throw new Error("nothing loaded");
  return source.schema.parse(value);
}

describe("environment, date and model", () => {
  test("C1: environment and local date, exact text", async () => {
    const source = createEnvironmentSource(() => environment);
    const lines =
      "<env>\n  Working directory: /work/app\n  Workspace root folder: /work\n  Is directory a git repo: yes\n  Platform: linux\n</env>";
    expect(source.baseline(await loaded(source))).toBe(
      `Here is some useful information about the environment you are running in:\n${lines}`,
    );
    expect(source.update(environment, environment)).toBe(
      `The environment you are running in is now:\n${lines}`,
    );
    const noon = new Date(2026, 10, 21, 12).getTime();
    const date = createDateSource({ now: () => noon, timeZone: null });
    expect(date.baseline(await loaded(date))).toBe("Today's date: Sat Nov 21 2026");
  });

  test("C1: the model is told in the host's words", async () => {
    const source = createModelSource(() => ({ providerID: "mock", modelID: "claude-mock" }));
    expect(source.baseline(await loaded(source))).toBe(
      "You are powered by the model named claude-mock. The exact model ID is mock/claude-mock",
    );
    const next = { providerID: "other", modelID: "opus" };
    expect(source.update(await loaded(source), next)).toBe(
      "You are now powered by the model named opus. The exact model ID is now other/opus",
    );
  });

  test("C2: a new day says the new date only", () => {
    const source = createDateSource({ now: Date.now, timeZone: null });
    expect(source.update("Sat Nov 21 2026", "Sun Nov 22 2026")).toBe(
      "Today's date is now: Sun Nov 22 2026",
    );
  });

  test("C3: nothing more that day", async () => {
    let now = new Date(2026, 10, 22, 0, 0, 0).getTime();
    const source = createDateSource({ now: () => now, timeZone: null });
    const first = await loaded(source);
    now += 24 * 3_600_000 - 1;
    expect(await loaded(source)).toBe(first);
    now += 1;
    expect(await loaded(source)).not.toBe(first);
  });

  test("C5: a configured time zone decides the day", async () => {
    const now = () => Date.UTC(2026, 10, 21, 15, 30);
    const day = (timeZone: string) => loaded(createDateSource({ now, timeZone }));
    expect(await day("Asia/Tokyo")).toBe("Sun Nov 22 2026");
    expect(await day("Pacific/Pago_Pago")).toBe("Sat Nov 21 2026");
    expect(isTimeZone("Asia/Tokyo")).toBe(true);
    expect(isTimeZone("Nowhere/Else")).toBe(false);
    expect(replaceDate(block("Sat Nov 21 2026"), "Sun Nov 22 2026")).toBe(block("Sun Nov 22 2026"));
  });

  test("C5: a zone's day is written as the host writes its own", async () => {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    await fc.assert(
      fc.asyncProperty(
        fc.date({ min: new Date(0), max: new Date(8.64e12), noInvalidDate: true }),
        async (at) => {
          const source = createDateSource({ now: () => at.getTime(), timeZone: zone });
          expect(await loaded(source)).toBe(at.toDateString());
        },
      ),
    );
  });

  test("values are read back from the frozen environment block", () => {
    const frozen = block("Sat Nov 21 2026");
    expect(parseEnvironment(frozen)).toEqual(environment);
    expect(parseDate(frozen)).toBe("Sat Nov 21 2026");
    expect(parseModel(frozen)).toEqual({ providerID: "mock", modelID: "claude-mock" });
    for (const parse of [parseEnvironment, parseDate, parseModel]) expect(parse("else")).toBeNull();
  });

  test("a model whose name holds slashes is read back whole", () => {
    const text = "You are powered by the model named a/b. The exact model ID is router/a/b\nrest";
    expect(parseModel(text)).toEqual({ providerID: "router", modelID: "a/b" });
  });
});

describe("observed sources", () => {
  const blocks = { references: "refs", mcp: null, skills: "list \uD800" };

  test("I8: what was not yet observed is unavailable, not absent", async () => {
    const observed = new ObservedBlocks();
    for (const source of observed.createSources())
      expect(await source.load()).toBeInstanceOf(Unavailable);
  });

  test("E1: the list as the host rendered it, the whole anew on change", async () => {
    const observed = new ObservedBlocks();
    observed.recordSighting(blocks);
    const skills = observed.createSource("skills");
    expect(skills.key).toBe("core/skills");
    expect(await loaded(skills)).toBe("list \uFFFD");
    expect(skills.baseline("one")).toBe("one");
    expect(skills.update("one", "two")).toBe(
      "The available skills have changed. This list supersedes the previous available skills list.\ntwo",
    );
    expect(await observed.createSource("mcp").load()).toBe(absent);
  });

  test("E1: a list that went away says so", async () => {
    const observed = new ObservedBlocks();
    observed.recordSighting({ ...blocks, skills: null });
    const skills = observed.createSource("skills");
    expect(await skills.load()).toBe(absent);
    expect(skills.removed?.("one")).toBe(
      "Skill guidance is no longer available. Do not use any previously listed skill.",
    );
  });
});
