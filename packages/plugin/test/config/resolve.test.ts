import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ConfigLayer } from "../../src/config/layer.ts";
import { parseConfig, resolveConfig, sections, settingsSchema } from "../whole-config.ts";

const defaultConfig = parseConfig({});

const lineOf = (name: string) => (path: readonly string[]) => (path.at(-1) === name ? 5 : 1);
const wrong = { scope: "user", value: { commits: { most: "many" } } } as const;
const findLine = (path: readonly string[]) => 100 + path.length;
const user = (value: unknown): ConfigLayer => ({
  file: "user.jsonc",
  scope: "user",
  value,
  findLine,
});
const project = (value: unknown): ConfigLayer => ({
  file: "project.jsonc",
  scope: "project",
  value,
  findLine,
});

const options = (value: unknown): ConfigLayer => ({
  file: "options",
  scope: "options",
  value,
  findLine,
});

describe("configuration from layers", () => {
  test("no layer gives the defaults", () => {
    expect(resolveConfig([])).toEqual({
      config: defaultConfig,
      warnings: [],
      projectSources: new Map(),
    });
    // Those of features are in docs/configuration.md, which a test holds against them.
    const core = Object.fromEntries(
      Object.entries(defaultConfig).filter(([key]) => !sections.some((one) => one.key === key)),
    );
    expect(core).toEqual({
      enabled: true,
      epoch: { onModelSwitch: "keep" },
      recovery: "ask",
      onUnavailable: "omit",
      date: { timeZone: null },
      observation: { timeoutMs: 1000 },
      sources: {},
      generation: {},
      requestOptions: {},
      environment: {},
      instructions: { maxBytes: 1_048_576, urlRefreshMs: 60_000 },
      continuity: { enabled: true, prompt: "inject", workflows: [] },
      jobs: { model: null, fallbacks: [], tokensPerDay: 1_000_000, tokensPerSession: 400_000 },
      cache: { ttlMs: 300_000, split: "auto" },
      toolOutput: { enabled: true, maxLines: null, maxBytes: null },
      notices: { toast: true },
      log: { level: "info", path: null },
      lowering: "auto",
      storage: { path: null },
    });
  });

  test("the user's layers merge deeply, later wins, and an entry of a table replaces the entry", () => {
    const { config, warnings } = resolveConfig([
      user({
        cache: { ttlMs: 1000, split: "never" },
        sources: { "team/oncall": { file: "a", maxBytes: 99 }, "team/style": { file: "s" } },
      }),
      user({ cache: { ttlMs: 2000 }, sources: { "team/oncall": { file: "b" } } }),
    ]);
    expect(config.cache).toEqual({ ttlMs: 2000, split: "never" });
    expect(config.sources).toEqual({ "team/oncall": { file: "b" }, "team/style": { file: "s" } });
    expect(warnings).toEqual([]);
  });

  test("null takes a former layer's value back where null is a value", () => {
    const layers = [user({ date: { timeZone: "UTC" } }), project({ date: { timeZone: null } })];
    expect(resolveConfig(layers).config.date.timeZone).toBeNull();
  });

  test("CF1: an invalid leaf falls back to its default, names file, key and reason, costs no other", () => {
    const { config, warnings } = resolveConfig([
      user({ cache: { ttlMs: "soon", split: "never" }, epoch: { onModelSwitch: "fold" } }),
    ]);
    expect(config.cache).toEqual({ ttlMs: 300_000, split: "never" });
    expect(config.epoch.onModelSwitch).toBe("fold");
    expect(warnings).toEqual([
      {
        kind: "wrong",
        file: "user.jsonc",
        line: 102,
        key: "cache.ttlMs",
        reason: 'expected a whole number from 1000 to 86400000, found "soon"; the default is used',
      },
    ]);
  });

  test("an invalid value that a later one of the user's overrides is no matter", () => {
    const { config, warnings } = resolveConfig([
      user({ cache: { ttlMs: "soon" } }),
      user({ cache: { ttlMs: 2000 } }),
    ]);
    expect(config.cache.ttlMs).toBe(2000);
    expect(warnings).toEqual([]);
  });

  test("an invalid value takes nothing back that the user has said, whoever gives it", () => {
    const off = user({ enabled: false, recovery: "off" });
    for (const layer of [user, project, options]) {
      const { config, warnings } = resolveConfig([off, layer({ enabled: null, recovery: [] })]);
      expect([config.enabled, config.recovery]).toEqual([false, "off"]);
      expect(warnings.map(({ reason }) => reason)).toEqual([
        "expected true or false, found null; your other value is used",
        'expected "ask", "auto" or "off", found a list; your other value is used',
      ]);
    }
  });

  test.each([
    [{ enabled: "no" }, "enabled"],
    [{ epoch: { onModelSwitch: "drop" } }, "epoch.onModelSwitch"],
    [{ date: { timeZone: "Mars/Olympus" } }, "date.timeZone"],
    [{ date: { timeZone: "+02:00" } }, "date.timeZone"],
    [{ observation: { timeoutMs: 0 } }, "observation.timeoutMs"],
    [{ observation: { timeoutMs: 1.5 } }, "observation.timeoutMs"],
    [{ sources: { timeoutMs: 1000 } }, "sources.timeoutMs"],
    [{ sources: [] }, "sources"],
    [{ instructions: { maxBytes: 2 ** 40 } }, "instructions.maxBytes"],
    [{ instructions: { urlRefreshMs: -1 } }, "instructions.urlRefreshMs"],
    [{ cache: { ttlMs: null } }, "cache.ttlMs"],
    [{ cache: { split: true } }, "cache.split"],
    [{ notices: { toast: 1 } }, "notices.toast"],
    [{ log: { level: "loud" } }, "log.level"],
    [{ log: { path: "relative.log" } }, "log.path"],
    [{ storage: { path: "" } }, "storage.path"],
  ])("%j is refused", (value, key) => {
    const { config, warnings } = resolveConfig([user(value)]);
    expect(config).toEqual(defaultConfig);
    expect(warnings).toMatchObject([{ file: "user.jsonc", key }]);
  });

  test("a time zone that the runtime knows is taken", () => {
    const { config, warnings } = resolveConfig([user({ date: { timeZone: "Europe/Lisbon" } })]);
    expect(config.date.timeZone).toBe("Europe/Lisbon");
    expect(warnings).toEqual([]);
  });

  test.each([
    [{ cache: { ttlMS: 1 } }, "cache.ttlMS", 'unknown key; did you mean "cache.ttlMs"?'],
    [{ cahce: { ttlMs: 1 } }, "cahce", 'unknown key; did you mean "cache"?'],
    [{ timeZone: "UTC" }, "timeZone", 'unknown key; did you mean "date.timeZone"?'],
    [{ enabeld: false }, "enabeld", 'unknown key; did you mean "enabled"?'],
    [{ log: { colour: "red" } }, "log.colour", "unknown key"],
  ])("the unknown key in %j is told, with the closest known one", (value, key, reason) => {
    expect(resolveConfig([user(value)]).warnings).toMatchObject([
      { file: "user.jsonc", key, reason },
    ]);
  });

  test("a setting's former name counts in its place, with a warning that names the new one", () => {
    const { config, warnings } = resolveConfig([user({ commits: { most: 7 } })]);
    expect(Reflect.get(config, "commits")).toEqual({ enabled: true, maxIndexed: 7 });
    expect(warnings).toEqual([
      {
        kind: "renamed",
        file: "user.jsonc",
        line: 102,
        key: "commits.most",
        reason: "is now called commits.maxIndexed; the old name works in this version only",
      },
    ]);
  });

  test("where a file has a setting's former name and its new one, the new one counts", () => {
    const { config, warnings } = resolveConfig([user({ commits: { most: 7, maxIndexed: 8 } })]);
    expect(Reflect.get(config, "commits")).toMatchObject({ maxIndexed: 8 });
    expect(warnings.map(({ kind }) => kind)).toEqual(["renamed"]);
  });

  test("a former name is bound as its setting is, and found in the line where it was written", () => {
    const written = { ...project({ commits: { most: 7 } }), findLine: lineOf("most") };
    const { config, warnings } = resolveConfig([written, { ...written, ...wrong }]);
    expect(Reflect.get(config, "commits")).toMatchObject({ maxIndexed: 100_000 });
    expect(warnings.map(({ kind, key, line }) => [kind, key, line])).toEqual([
      ["renamed", "commits.most", 5],
      ["renamed", "commits.most", 5],
      ["refused", "commits.maxIndexed", 5],
      ["wrong", "commits.maxIndexed", 5],
    ]);
    expect(settingsSchema.keys).not.toContain("commits.most");
  });

  test("$schema is a known key of a file and none of the configuration", () => {
    const { config, warnings } = resolveConfig([user({ $schema: "./config.schema.json" })]);
    expect(warnings).toEqual([]);
    expect(config).toEqual(defaultConfig);
  });

  test("a section that is no object, or a layer that is none, is a warning", () => {
    const { config, warnings } = resolveConfig([user({ cache: 5 }), project([1, 2])]);
    expect(config).toEqual(defaultConfig);
    expect(warnings).toEqual([
      {
        kind: "wrong",
        file: "user.jsonc",
        line: 101,
        key: "cache",
        reason: 'expected an object, like { "ttlMs": 300000 }',
      },
      { kind: "wrong", file: "project.jsonc", line: null, key: null, reason: "expected an object" },
    ]);
  });

  test("a section that can be switched off takes true and false, and a project's false counts", () => {
    const short = resolveConfig([user({ memory: false, timeMarks: true, toolOutput: false })]);
    const long = resolveConfig([
      user({
        memory: { enabled: false },
        timeMarks: { enabled: true },
        toolOutput: { enabled: false },
      }),
    ]);
    expect(short.warnings).toEqual([]);
    expect(short.config).toEqual(long.config);
    expect(Reflect.get(short.config, "memory")).toMatchObject({ enabled: false });
    expect(resolveConfig([project({ memory: false })]).config).toEqual(
      resolveConfig([project({ memory: { enabled: false } })]).config,
    );
    const { warnings } = resolveConfig([user({ memory: false }), project({ memory: true })]);
    expect(warnings).toMatchObject([{ kind: "refused", key: "memory.enabled" }]);
  });

  test("anything else in the place of a section is met with what to write there", () => {
    const { warnings } = resolveConfig([user({ memory: "off", history: false })]);
    expect(warnings.map(({ key, reason }) => [key, reason])).toEqual([
      ["memory", 'expected true, false or an object, like { "enabled": false }'],
      ["history", 'expected an object, like { "rewrite": "worth" }'],
    ]);
  });

  test("a project pins and bans no more key files than can be looked at as a session begins", () => {
    const names = Array.from({ length: 201 }, (_, index) => `src/${index}.ts`);
    const given = (count: number) => {
      const pinned = names.slice(0, count);
      const { config } = resolveConfig([project({ keyFiles: { pinned, banned: pinned } })]);
      return Reflect.get(config, "keyFiles");
    };
    expect(given(200)).toMatchObject({ pinned: names.slice(0, 200), banned: names.slice(0, 200) });
    expect(given(201)).toMatchObject({ pinned: [], banned: [] });
    const own = { pinned: names.slice(0, 2), banned: names.slice(0, 1) };
    const both = [user({ keyFiles: own }), project({ keyFiles: { pinned: names.slice(2, 201) } })];
    const { config, warnings } = resolveConfig(both);
    expect(Reflect.get(config, "keyFiles")).toMatchObject(own);
    expect(warnings.map(({ reason }) => reason)).toEqual([
      "expected a list of at most 200 entries, found a list; your other value is used",
    ]);
  });

  test("__proto__ and constructor are unknown keys and change nothing", () => {
    const value = JSON.parse(
      '{"__proto__": {"enabled": false}, "constructor": {"prototype": {"x": 1}}, "cache": {"__proto__": {"ttlMs": 1}}}',
    );
    const { config, warnings } = resolveConfig([user(value)]);
    expect(config).toEqual(defaultConfig);
    expect(warnings.map((warning) => warning.key)).toEqual([
      "__proto__",
      "constructor",
      "cache.__proto__",
    ]);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  test("the name of an unknown key is shown short and without control characters", () => {
    const { warnings } = resolveConfig([user({ "\u001b[31m\n": 1, ["k".repeat(500)]: 1 })]);
    expect(warnings.map((warning) => warning.key)).toEqual(["?[31m?", `${"k".repeat(79)}…`]);
  });

  test("inherited properties are no configuration", () => {
    const value = Object.create({ enabled: false });
    expect(resolveConfig([user(value)]).config.enabled).toBe(true);
  });

  test.each([
    [{ enabled: "true" }, 'expected true or false, found "true"; write it without quotes: true'],
    [{ enabled: 0 }, "expected true or false, found 0"],
    [{ recovery: "atuo" }, 'expected "ask", "auto" or "off", found "atuo"; did you mean "auto"?'],
    [{ recovery: "sometimes" }, 'expected "ask", "auto" or "off", found "sometimes"'],
    [
      { toolOutput: { maxLines: 5 } },
      "expected a whole number from 16 to 1000000 or null, found 5",
    ],
    [
      { log: { path: "x.log" } },
      'expected an absolute path, or one that begins with "~/", found "x.log"',
    ],
    [{ cache: { ttlMs: [] } }, "expected a whole number from 1000 to 86400000, found a list"],
    [{ continuity: { workflows: {} } }, "expected a list, found an object"],
    [
      { continuity: { workflows: [{ type: "rfc", root: "x", artifacts: 3, stages: [] }] } },
      "at 0.artifacts: expected a list, found 3",
    ],
    [
      { sources: { "a/b": { file: 3 } } },
      "at file: expected a text of 1 to 4096 characters, found 3",
    ],
    [
      { sources: { "a/b": { comand: "x", file: "y" } } },
      'unknown key "comand"; did you mean "command"?',
    ],
    [{ sources: { "a/b": { file: "y", refreshMs: 5 } } }, "refreshMs is for commands only"],
    [
      { sources: { "a/b": { command: ["x"], refreshMs: -5 } } },
      "at refreshMs: expected a whole number from 0 to 86400000, found -5",
    ],
  ])("%j: what is allowed, what was found, what was meant", (value, reason) => {
    const { warnings } = resolveConfig([user(value)]);
    expect(
      warnings.map((warning) =>
        warning.reason.replace(/(?:(?<!\?);|(?<=\?)) [Tt]he (?:default|entry) is .*$/, ""),
      ),
    ).toEqual([reason]);
  });

  test("what follows from it is a sentence of its own after a question", () => {
    const { warnings } = resolveConfig([user({ recovery: "atuo", enabled: 0 })]);
    expect(warnings.map(({ reason }) => reason)).toEqual([
      "expected true or false, found 0; the default is used",
      'expected "ask", "auto" or "off", found "atuo"; did you mean "auto"? The default is used',
    ]);
  });

  test("the value of an environment variable is never quoted", () => {
    const { warnings } = resolveConfig([user({ environment: { "/x": { TOKEN: "hunter2\0" } } })]);
    expect(warnings).toHaveLength(1);
    expect(JSON.stringify(warnings)).not.toContain("hunter2");
  });

  test("any JSON gives a configuration, and short warnings", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (values) => {
        const { config, warnings } = resolveConfig(values.map(user));
        expect(config).toEqual(defaultConfig);
        for (const warning of warnings) expect(warning.reason.length).toBeLessThan(300);
      }),
    );
  });

  test("any values under known keys give a valid configuration", () => {
    const section = (names: readonly string[]) =>
      fc.record(Object.fromEntries(names.map((name) => [name, fc.jsonValue()])), {
        requiredKeys: [],
      });
    const layer = fc.record(
      { cache: section(["ttlMs", "split"]), log: section(["level"]), enabled: fc.boolean() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(layer, { maxLength: 4 }), (values) => {
        const { config } = resolveConfig(values.map(user));
        const again = resolveConfig([user(config)]);
        expect(again).toEqual({ config, warnings: [], projectSources: new Map() });
      }),
    );
  });
});
