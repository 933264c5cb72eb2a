import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { defaults } from "../../src/config/defaults.ts";
import { loadConfig } from "../../src/config/load.ts";
import { resolveSharedFolders } from "../../src/config/places.ts";
import { createOutsideWarning, renderWarning } from "../../src/config/warning.ts";
import { loadFeatures } from "../../src/features/list.ts";
import { parseConfig, sections } from "../whole-config.ts";

const defaultConfig = parseConfig({});

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "session-runtime-config-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const GLOBAL = "home/.config/opencode/session-runtime.jsonc";
const PROJECT = "app/.opencode/session-runtime.jsonc";
const NEAREST = "app/web/session-runtime.json";

async function file(name: string, text: string): Promise<string> {
  const path = join(root, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

const load = (options: unknown) =>
  loadConfig(sections, {
    directory: join(root, "app/web"),
    worktree: join(root, "app"),
    home: join(root, "home"),
    env: {},
    folders: resolveSharedFolders({ env: {}, home: join(root, "home") }),
    options,
  });

describe("loading configuration", () => {
  test("absent files are silent", async () => {
    expect(await load(undefined)).toEqual({
      config: defaults,
      warnings: [],
      projectSources: new Map(),
      files: [],
    });
  });

  test("a link to nowhere is not absent: it is skipped with a warning, wherever it stands", async () => {
    const places = [GLOBAL, PROJECT, NEAREST].map((name) => join(root, name));
    for (const path of places) {
      await mkdir(dirname(path), { recursive: true });
      await symlink(join(root, "nowhere"), path);
    }
    const { warnings } = await load(undefined);
    expect(warnings.map(({ file: at, key, reason }) => [at, key, reason])).toEqual(
      places.map((path) => [
        path,
        null,
        "it is a link to a file that does not exist; the file is skipped",
      ]),
    );
  });

  test("defaults, global, project, nearest, options: later wins", async () => {
    const files = [
      await file(GLOBAL, '{"cache": {"ttlMs": 1001}, "log": {"level": "error"}} // mine'),
      await file(PROJECT, '{"date": {"timeZone": "Asia/Tokyo"}, "recall": {"enabled": false},}'),
      await file(NEAREST, '{"date": {"timeZone": "UTC"}}'),
    ];
    const loaded = await load({ cache: { split: "never" } });
    expect(loaded.files).toEqual(files);
    expect(loaded.warnings).toEqual([]);
    expect<object>(loaded.config).toEqual({
      ...defaultConfig,
      cache: { ttlMs: 1001, split: "never" },
      log: { level: "error", path: null },
      recall: { enabled: false },
      date: { timeZone: "UTC" },
    });
  });

  test("a file that does not parse is skipped with line and column; the others count", async () => {
    const broken = await file(PROJECT, '{\n  "cache": {"ttlMs": }\n}');
    await file(NEAREST, '{"recovery": "off"}');
    const { config, warnings } = await load(undefined);
    expect(config.recovery).toBe("off");
    expect(warnings).toEqual([
      {
        kind: "wrong",
        file: broken,
        line: null,
        key: null,
        reason: "line 2, column 22: value expected; the file is skipped",
      },
    ]);
  });

  test("what is no regular file, or too large, is skipped with a warning", async () => {
    await mkdir(join(root, PROJECT), { recursive: true });
    await file(NEAREST, `{"a": "${"x".repeat(1_048_576)}"}`);
    const { config, warnings } = await load(undefined);
    expect(config).toEqual(defaults);
    expect(warnings.map((warning) => warning.reason)).toEqual([
      "not a regular file; the file is skipped",
      "larger than 1048576 bytes; the file is skipped",
    ]);
  });

  test("an unreadable file is skipped with a warning", async () => {
    // A name that is too long fails for every user, root included.
    const { config, warnings } = await loadConfig(sections, {
      directory: join(root, "n".repeat(300)),
      worktree: root,
      home: root,
      env: {},
      folders: resolveSharedFolders({ env: {}, home: root }),
      options: undefined,
    });
    expect(config).toEqual(defaults);
    expect(warnings[0]?.reason).toBe("can't be read (ENAMETOOLONG); the file is skipped");
  });

  test("a .opencode that is a file holds no configuration", async () => {
    await file("app/.opencode", "");
    expect((await load(undefined)).warnings).toEqual([]);
  });

  test("options that are no object are a warning that names them", async () => {
    const { config, warnings } = await load("fast");
    expect(config).toEqual(defaultConfig);
    expect(warnings.map(renderWarning)).toEqual(["plugin options: expected an object"]);
  });

  test("a warning names the line of its key, inside lists and entries too", async () => {
    const text = [
      "{",
      '  "recovery": "ask", "recovery":',
      '    "atuo",',
      '  "sources": {',
      '    "team/oncall": {',
      '      "file": "oncall.md",',
      '      "maxBytes": 3',
      "    }",
      "  },",
      '  "continuity": { "workflows": [',
      '    { "type": "rfc",',
      '      "root": "../x" } ] }',
      "}",
    ];
    await file(GLOBAL, text.join("\r\n"));
    const { warnings } = await load(undefined);
    expect(warnings.map(({ key, line }) => [key, line])).toEqual([
      ["recovery", 2],
      ["sources.team/oncall", 7],
      ["continuity.workflows", 12],
    ]);
  });

  test("a warning is one line that names file, key and reason", async () => {
    const path = await file(GLOBAL, '{"log": {"levle": "warn"}}');
    const { warnings } = await load(undefined);
    expect(warnings.map(renderWarning)).toEqual([
      `${path}:1: log.levle: unknown key; did you mean "log.level"?`,
    ]);
  });
});

test("the sources that a project's file gives are named with their place; later places win", async () => {
  await file(GLOBAL, '{"sources": {"team/a": {"file": "a"}}}');
  const path = await file(
    PROJECT,
    '{"sources": {\n"team/b": {"file": "b"},\n"team/c": {"glob": "c/*"},\n"team/d": {"env": "HOME"}\n}}',
  );
  const { projectSources, config } = await load({ sources: { "team/c": { file: "c" } } });
  expect(Object.keys(config.sources).toSorted()).toEqual(["team/a", "team/b", "team/c"]);
  expect([...projectSources]).toEqual([["team/b", { file: path, line: 2, key: "sources.team/b" }]]);
});

test("what leads out of the project is named by file, line, key and path, and can't steer a terminal", () => {
  const place = { file: "/p/session-runtime.json", line: 2, key: "sources.team/b" };
  expect(renderWarning(createOutsideWarning(place, "/p/docs/\u001b[31mkey"))).toBe(
    "/p/session-runtime.json:2: sources.team/b: /p/docs/?[31mkey points outside the project, so it is not read",
  );
});

test("a project's file that is a link to one that is never read to its end holds nothing up", async () => {
  await mkdir(join(root, "app/web"), { recursive: true });
  await symlink("/proc/kmsg", join(root, NEAREST));
  const { config } = await load(undefined);
  expect(config).toEqual(defaults);
});

test("what counts where nothing is configured is what the schema takes", async () => {
  const features = await loadFeatures({});
  const sections = features.flatMap(({ settings }) =>
    settings ? [[settings.key, settings.defaults]] : [],
  );
  const preset = { ...defaults, ...Object.fromEntries(sections) };
  expect<object>(parseConfig(preset)).toEqual(preset);
  expect<object>(defaultConfig).toEqual(preset);
});
