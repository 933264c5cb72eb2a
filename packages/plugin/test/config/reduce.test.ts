import { describe, expect, test } from "bun:test";
import * as z from "zod";
import { type ConfigLayer, unwrapSection, unwrapTable } from "../../src/config/layer.ts";
import { loadConfig } from "../../src/config/load.ts";
import { resolveSharedFolders } from "../../src/config/places.ts";
import {
  allowSwitchOff,
  findSetting,
  type ProjectPermission,
  reserveForUser,
  type Setting,
} from "../../src/config/setting.ts";
import { defineSettingsSection } from "../../src/feature-api/settings.ts";
import { resolveConfig, sections, settingsSchema } from "../whole-config.ts";

interface Key {
  readonly path: readonly string[];
  readonly schema: z.core.$ZodType;
}

function keysIn(section: z.ZodObject, prefix: readonly string[]): readonly Key[] {
  return Object.entries(section.shape).flatMap(([name, schema]) => {
    const path = [...prefix, name];
    const inner = unwrapSection(schema);
    return inner === null ? [{ path, schema }] : keysIn(inner, path);
  });
}

const keys = keysIn(settingsSchema.effective, []);

function requireSetting(path: readonly string[]): Setting {
  const setting = findSetting(settingsSchema.settings, path);
  if (setting === null) throw new Error(`${path.join(".")} says not what a project may do with it`);
  return setting;
}

const listKeysByRule = (kind: ProjectPermission["kind"]) =>
  keys
    .filter(({ path }) => requireSetting(path).project.kind === kind)
    .map(({ path, schema }): [string, Key] => [path.join("."), { path, schema }]);

const at = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);

const layer = (
  scope: ConfigLayer["scope"],
  path: readonly string[],
  value: unknown,
): ConfigLayer => ({
  ...{ file: `${scope}.jsonc`, scope, findLine: () => 1 },
  value: at(path, value),
});

function valueAt(config: object, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => Reflect.get(Object(inner), name), config);
}

/** What counts, with the codes of the warnings. */
function outcome(path: readonly string[], ...layers: readonly ConfigLayer[]) {
  const { config, warnings } = resolveConfig(layers);
  return { value: valueAt(config, path), warned: warnings.map(({ kind, key }) => [kind, key]) };
}

const user = (path: readonly string[], value: unknown) => layer("user", path, value);

/** A clone's own file, and a clone's opencode.json with options for the plugin. */
const THEIRS = ["project", "options"] as const;

/** The least and the most that a number may be. */
function bounds(schema: z.core.$ZodType): readonly [number, number] {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    return bounds(schema.unwrap());
  if (schema instanceof z.ZodNumber) return [Number(schema.minValue), Number(schema.maxValue)];
  throw new Error("A number was expected.");
}

/** Of each key that is the user's alone: a value of the user's, and one that somebody else might want. */
const WANTED: Readonly<Record<string, readonly [unknown, unknown]>> = {
  "epoch.onModelSwitch": ["keep", "fold"],
  onUnavailable: ["omit", "block"],
  generation: [{ "a/b": { temperature: 0 } }, { "a/b": { temperature: 1 } }],
  requestOptions: [{ "a/b": { effort: "low" } }, { "a/b": { effort: "high" } }],
  environment: [{ ".": { CI: "1" } }, { ".": { CI: "0" } }],
  "instructions.urlRefreshMs": [60_000, 1000],
  "continuity.prompt": ["inject", "replace"],
  "jobs.model": ["a/small", "b/large"],
  "jobs.fallbacks": [["a/small"], ["b/large"]],
  "jobs.tokensPerDay": [0, 1_000_000_000],
  "jobs.tokensPerSession": [0, 1_000_000_000],
  "cache.ttlMs": [3_600_000, 1000],
  "cache.split": ["never", "auto"],
  "notices.toast": [true, false],
  "log.level": ["info", "error"],
  "log.path": ["/mine.log", "/theirs.log"],
  "storage.path": ["/mine.db", "/theirs.db"],
  "history.keepTokens": ["auto", 500],
  "history.budgetTokens": ["auto", 1_000_000],
  "history.keep": [["skill"], ["**"]],
  "historian.leastTokens": [40_000, 0],
  "historian.models": [["a/small"], ["b/large"]],
  "historian.batchTokens": [12_000, 1_000],
  "commits.maxIndexed": [1, 10_000_000],
  "memory.budgetTokens": [100, 50_000],
  "memory.store": ["postgres://me@db.example.org/mine", "postgres://me@db.example.org/theirs"],
  "memory.member": ["ann", "bob"],
  "vectors.url": ["", "https://example.org/v1"],
  "vectors.model": ["small", "large"],
  "vectors.apiKeyEnv": ["", "OPENAI_API_KEY"],
  "vectors.timeoutMs": [100, 600_000],
  "smartNotes.commands": [[], ["make"]],
  "upkeep.tasks": [{ verify: {} }, { verify: { schedule: "* * * * *" } }],
  "upkeep.quietMinutes": [5, 0],
};

describe("a project's file can only reduce what the user has", () => {
  test("every key says what a project's file may do with it, and no setting is without a key", () => {
    const paths = keys.map(({ path }) => path.join("."));
    for (const { path } of keys) expect([path, requireSetting(path).project.kind]).toBeDefined();
    const named = Object.entries(settingsSchema.settings).flatMap(([section, node]) =>
      "project" in node && "kind" in node.project
        ? [section]
        : Object.keys(node).map((name) => `${section}.${name}`),
    );
    expect(named.toSorted()).toEqual(paths.toSorted());
  });

  test("a section of a feature does not type-check where a key has no mark, or one of another type", () => {
    const [key, description] = ["x", "x"];
    defineSettingsSection({
      ...{ key, description },
      // @ts-expect-error: a default alone
      settings: { on: true },
      keys: (zod) => ({ on: zod.boolean() }),
    });
    defineSettingsSection({
      ...{ key, description },
      // @ts-expect-error: no setting
      settings: {},
      keys: (zod) => ({ on: zod.boolean() }),
    });
    defineSettingsSection({
      ...{ key, description },
      // @ts-expect-error: a number is not switched off
      settings: { most: allowSwitchOff(true) },
      keys: (zod) => ({ most: zod.int() }),
    });
    const { defaults } = defineSettingsSection({
      ...{ key, description },
      settings: { most: reserveForUser(3) },
      keys: (zod) => ({ most: zod.int() }),
    });
    expect(defaults).toEqual({ most: 3 });
  });

  test.each(listKeysByRule("switch-off"))(
    "%s: off stays off, and on can be switched off",
    (name, { path }) => {
      const [off, on] = [user(path, false), user(path, true)];
      for (const scope of THEIRS) {
        expect(outcome(path, off, layer(scope, path, true))).toEqual({
          value: false,
          warned: [["refused", name]],
        });
        expect(outcome(path, on, layer(scope, path, false))).toEqual({ value: false, warned: [] });
        expect(outcome(path, on, layer(scope, path, true))).toEqual({ value: true, warned: [] });
      }
      const standard = requireSetting(path).default;
      expect(outcome(path, layer("project", path, true)).value).toBe(standard);
      expect(outcome(path, layer("project", path, false)).value).toBe(false);
    },
  );

  test.each(listKeysByRule("lower"))(
    "%s: it can be lowered, and not raised",
    (name, { path, schema }) => {
      const [least, most] = bounds(schema);
      for (const scope of THEIRS) {
        expect(outcome(path, user(path, least), layer(scope, path, most))).toEqual({
          value: least,
          warned: [["refused", name]],
        });
        expect(outcome(path, user(path, most), layer(scope, path, least))).toEqual({
          value: least,
          warned: [],
        });
      }
      expect(outcome(path, layer("project", path, least)).value).toBe(least);
      const standard = requireSetting(path).default;
      expect(outcome(path, layer("project", path, most)).value).toBe(standard ?? most);
    },
  );

  test.each(listKeysByRule("make-stricter"))(
    "%s: it can be made stricter, and not looser",
    (name, { path }) => {
      const { project, default: standard } = requireSetting(path);
      if (project.kind !== "make-stricter") throw new Error("Its kind is another.");
      const { strictestFirst } = project;
      const [strictest, loosest] = [strictestFirst[0], strictestFirst.at(-1)];
      expect(strictestFirst).toContain(String(standard));
      for (const scope of THEIRS) {
        expect(outcome(path, user(path, strictest), layer(scope, path, loosest))).toEqual({
          value: strictest,
          warned: [["refused", name]],
        });
        expect(outcome(path, user(path, loosest), layer(scope, path, strictest))).toEqual({
          value: strictest,
          warned: [],
        });
      }
      expect(outcome(path, layer("project", path, loosest)).value).toBe(standard);
    },
  );

  test("of each key that is the user's alone two values are tried below", () => {
    const reserved = listKeysByRule("nothing").map(([name]) => name);
    expect(reserved.toSorted()).toEqual(Object.keys(WANTED).toSorted());
  });

  test.each(listKeysByRule("nothing"))(
    "%s is the user's alone, in both directions",
    (name, { path, schema }) => {
      const wanted = WANTED[name] ?? [];
      for (const [own, other] of [wanted, wanted.toReversed()]) {
        expect(z.safeParse(schema, own)).toMatchObject({ success: true });
        for (const scope of THEIRS) {
          const { value, warned } = outcome(path, user(path, own), layer(scope, path, other));
          const { value: alone } = outcome(path, user(path, own));
          expect(value).toEqual(alone);
          const isEmpty = unwrapTable(schema) !== null && Object.keys(Object(other)).length === 0;
          expect(warned).toHaveLength(isEmpty ? 0 : 1);
          for (const [kind, key] of warned)
            expect([kind, String(key).startsWith(name)]).toEqual(["refused", true]);
        }
      }
      const [own, other] = wanted;
      const standard = outcome(path).value;
      expect(outcome(path, layer("project", path, own)).value).toEqual(standard);
      expect(outcome(path, layer("project", path, other)).value).toEqual(standard);
      expect(outcome(path, layer("project", path, { not: ["valid"] })).value).toEqual(standard);
    },
  );

  test.each(listKeysByRule("add"))(
    "%s: entries of the user's stay, and come first",
    (name, { path }) => {
      const workflow = (type: string) => ({
        ...{ type, root: "rfcs" },
        artifacts: [{ file: "rfc.md", role: "document", stage: "rfc-draft" }],
        stages: [
          {
            ...{ name: "rfc-draft", artifact: "rfc.md", objective: "o", step: "s", next: "n" },
            ...{ gate: "g", done: [] },
          },
        ],
      });
      const [own, theirs] =
        name === "continuity.workflows" ? [workflow("a"), workflow("b")] : ["a", "b"];
      for (const scope of THEIRS) {
        const both = outcome(path, user(path, [own]), layer(scope, path, [theirs]));
        expect(both).toEqual({ value: [own, theirs], warned: [] });
        const none = outcome(path, user(path, [own]), layer(scope, path, []));
        expect(none).toEqual({ value: [own], warned: [] });
      }
      expect(outcome(path, layer("project", path, [theirs])).value).toEqual([theirs]);
    },
  );

  test("sources: entries of the user's stay, and new ones name files of the project", () => {
    const path = ["sources"];
    const own = user(path, { "team/a": { command: ["a"], required: true } });
    const wanted = { "team/a": { file: "a" }, "team/b": { file: "b" }, "team/c": { env: "HOME" } };
    const { value, warned } = outcome(path, own, layer("project", path, wanted));
    expect(value).toEqual({
      "team/a": { command: ["a"], required: true },
      "team/b": { file: "b" },
    });
    expect(warned).toEqual([
      ["refused", "sources.team/a"],
      ["refused", "sources.team/c"],
    ]);
    expect(outcome(path, own, layer("options", path, wanted))).toEqual({
      value: { ...wanted, "team/a": { command: ["a"], required: true } },
      warned: [["refused", "sources.team/a"]],
    });
  });

  test("what is free is that by name: a new key like it is looked at here", () => {
    expect(listKeysByRule("set").map(([name]) => name)).toEqual(["date.timeZone"]);
    expect(listKeysByRule("add-own-files").map(([name]) => name)).toEqual(["sources"]);
  });

  test("the user overrules a project's reduction in a place that is read after it", () => {
    const path = ["recall", "enabled"];
    const off = layer("project", path, false);
    for (const scope of ["user", "options"] as const) {
      expect(outcome(path, off, layer(scope, path, true))).toEqual({ value: true, warned: [] });
    }
    expect(outcome(path, user(path, true), off).value).toBe(false);
  });

  test("no shape of a section takes back what the user has", () => {
    const own = user(["historian"], { enabled: false, models: ["a/small"] });
    const shapes = [
      ...[null, [], true, "on", [{ enabled: true }], { historian: { enabled: true } }],
      JSON.parse('{"__proto__": {"enabled": true, "models": ["b/large"]}}'),
      JSON.parse('{"constructor": {"prototype": {"enabled": true}}}'),
      { "enabled ": true, Enabled: true, "models.0": "b/large" },
      { enabled: [true], models: { 0: "b/large" } },
    ];
    for (const shape of shapes) {
      const { value } = outcome(["historian"], own, layer("project", ["historian"], shape));
      expect(value).toMatchObject({ enabled: false, models: ["a/small"] });
    }
    const flat = { ...own, scope: "project" as const, value: { "historian.enabled": true } };
    expect(outcome(["historian", "enabled"], own, flat).value).toBe(false);
    expect(Reflect.get({}, "enabled")).toBeUndefined();
  });

  test("several files of a project together can't raise what one of them lowered beyond the user's", () => {
    const path = ["toolOutput", "maxLines"];
    const theirs = [90, 100, 110].map((lines) => layer("project", path, lines));
    expect(outcome(path, user(path, 100), ...theirs)).toEqual({
      value: 100,
      warned: [["refused", "toolOutput.maxLines"]],
    });
  });
});

test.each([
  ["V3: a project names no endpoint that texts are sent to, and no key", "vectors"],
  ["TM3: a project chooses no store of a team, and no name in it", "memory"],
  ["a project starts no task", "upkeep"],
])("%s", (_title, section) => {
  const wanted = Object.entries(WANTED).filter(([name]) => name.startsWith(`${section}.`));
  expect(wanted.length).toBeGreaterThan(0);
  for (const [name, [, theirs]] of wanted) {
    const path = name.split(".");
    expect(outcome(path, layer("project", path, theirs)).value).toEqual(outcome(path).value);
  }
});

const IN_WORDS: Readonly<Record<ProjectPermission["kind"], string>> = {
  set: "may set",
  "switch-off": "off only",
  lower: "lower only",
  "make-stricter": "stricter only",
  add: "adds",
  "add-own-files": "adds own files",
  nothing: "no",
};

test("docs/configuration.md lists every key, with what a project's file may do with it", async () => {
  const page = await Bun.file(`${import.meta.dir}/../../../../docs/configuration.md`).text();
  const rows = [...page.matchAll(/^\| `([\w.]+)` \| [^|]+ \| ([^|]+) \|/gm)];
  const listed = rows.map(([, key, words]) => `${key}: ${words}`);
  const expected = keys.map(
    ({ path }) => `${path.join(".")}: ${IN_WORDS[requireSetting(path).project.kind]}`,
  );
  expect(listed.toSorted()).toEqual(expected.toSorted());
});

test("secrets are marked: none is quoted in a warning, whoever gives it", () => {
  const masked = keys.filter(({ path }) => requireSetting(path).shown === "secret");
  expect(masked.map(({ path }) => path.join(".")).toSorted()).toEqual([
    ...["environment", "generation", "memory.store", "requestOptions", "vectors.url"],
  ]);
  for (const { path } of masked) {
    for (const value of ["hunter2", { "a/b": "hunter2" }, { "a/b": { A: { B: "hunter2" } } }]) {
      for (const scope of ["user", ...THEIRS] as const) {
        const { warnings } = resolveConfig([layer(scope, path, value)]);
        expect(JSON.stringify(warnings)).not.toContain("hunter2");
      }
    }
  }
});

test("a refusal says in which file the setting belongs", async () => {
  const { mkdtempSync, rmSync, writeFileSync } = await import("node:fs");
  const folder = mkdtempSync("/tmp/session-runtime-own-");
  try {
    writeFileSync(`${folder}/session-runtime.jsonc`, '{\n"jobs": {"model": "a/b"}}');
    const user = { env: { XDG_CONFIG_HOME: "/etc/me" }, home: "/home/me" };
    const { warnings } = await loadConfig(sections, {
      ...{ directory: folder, worktree: folder, options: undefined },
      ...{ ...user, folders: resolveSharedFolders(user) },
    });
    expect(warnings).toEqual([
      {
        ...{ kind: "refused", file: `${folder}/session-runtime.jsonc`, line: 2, key: "jobs.model" },
        reason: "a project's file can't set it; set it in /etc/me/opencode/session-runtime.jsonc",
      },
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
