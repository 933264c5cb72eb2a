import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Registry } from "../../src/context/system-context.ts";
import { LostParts } from "../../src/features/compaction/summary-check.ts";
import { AddedSources } from "../../src/features/custom-sources/added-sources.ts";
import { SessionSources, type SourceDeps } from "../../src/session/session-sources.ts";
import { FileCache } from "../../src/sources/file-cache.ts";
import { UrlCache } from "../../src/sources/instruction-urls.ts";

const folder = mkdtempSync(join(tmpdir(), "session-sources-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, "AGENTS.md");

const NOON_MS = Date.UTC(2026, 10, 21, 12);
const place = { directory: folder, worktree: folder };
const call = { sessionId: "ses_1", agent: "build", providerId: "openai", modelId: "gpt" };
const model = { providerId: "openai", modelId: "gpt", apiId: "gpt-6", npm: "x" };
const environment =
  "You are powered by the model named gpt-6. The exact model ID is openai/gpt-6\n" +
  "<env>\n  Today's date: Sat Nov 21 2026\n</env>";
const blocks = { environment, references: null, instructions: null, mcp: null, skills: null };

function createSources(changes: Partial<SourceDeps> = {}) {
  const deps: SourceDeps = {
    environment: { ...place, git: "yes", platform: "linux" },
    scope: {
      ...place,
      ...{ configDirectory: join(folder, "none"), homeDirectory: folder },
      ...{ projectFiles: "read", claudeFiles: "ignored", configured: () => [] },
    },
    files: new FileCache(),
    urls: new UrlCache(),
    now: () => NOON_MS,
    timeZone: null,
    findApiId: () => "gpt-6",
    summary: () =>
      new LostParts(() => {
        throw new Error("not asked");
      }),
    added: () =>
      new AddedSources({ featureInstances: [], registry: new Registry(), timeoutMs: 1_000 }),
    ...changes,
  };
  const sources = new SessionSources(deps);
  const states = async () => {
    const { sources: all } = await sources.context(call, []);
    const seen = all.map(async ({ key, observe }) => [String(key), await observe()] as const);
    return new Map(await Promise.all(seen));
  };
  return { sources, states };
}

test("the host's rendering of the instructions is that of the files as they were last loaded", async () => {
  const { sources, states } = createSources();
  expect(sources.expectedInstructions()).toBeNull();
  for (const rule of ["Use tabs.", "Use spaces, always."]) {
    writeFileSync(file, rule);
    await states();
    const rendering = `Instructions from: ${file}\n${rule}`;
    expect(sources.expectedInstructions()).toBe(rendering);
    expect(sources.expectedInstructions()).toBe(rendering);
  }
  rmSync(file);
  await states();
  expect(sources.expectedInstructions()).toBeNull();
});

test("the day that is frozen is the configured zone's; without one the host's text stays", () => {
  expect(createSources().sources.freezeBlocks(blocks)).toBe(blocks);
  const { sources } = createSources({ timeZone: "Pacific/Kiritimati" });
  const frozen = sources.freezeBlocks(blocks);
  expect(frozen.environment).toContain("Today's date: Sun Nov 22 2026");
  expect({ ...frozen, environment }).toEqual(blocks);
});

test("the model is told by the id that the provider knows; one of no catalogue is unavailable", async () => {
  const present = (await createSources().states()).get("core/model");
  expect(present?.kind === "present" && present.value.baseline()).toContain("openai/gpt-6");
  const { states } = createSources({ findApiId: () => null });
  expect((await states()).get("core/model")).toEqual({
    kind: "unavailable",
    reason: "openai/gpt is not in the catalogue",
  });
});

test("what the host's blocks state is required of nobody: a block that is not there is absent", () => {
  const stated = createSources().sources.stated(blocks, model);
  expect(stated.map(({ required }) => required)).toEqual(Array(7).fill(false));
  const absent = stated.filter(({ state }) => state.kind === "absent");
  expect(absent.map(({ key }) => String(key))).toEqual([
    "core/environment",
    "core/references",
    "core/instructions",
    "core/mcp",
    "core/skills",
  ]);
});

test("what the host's text never states is left to our own sources", () => {
  const stated = (given: Parameters<SessionSources["stated"]>[0]) =>
    createSources()
      .sources.stated(given, model)
      .map(({ key, state }) => [String(key), state.kind]);
  expect(stated({})).toEqual([]);
  expect(stated({ skills: null, mcp: "Ask first." })).toEqual([
    ["core/mcp", "present"],
    ["core/skills", "absent"],
  ]);
});

test("the model is looked at again and encoded once, until the catalogue names it otherwise", async () => {
  let apiId = "gpt-6";
  const { states } = createSources({ findApiId: () => apiId });
  const stateOfModel = async () => (await states()).get("core/model");
  const first = await stateOfModel();
  expect(await stateOfModel()).toBe(first);
  apiId = "gpt-7";
  const second = await stateOfModel();
  expect(second?.kind === "present" && second.value.baseline()).toContain("openai/gpt-7");
});
