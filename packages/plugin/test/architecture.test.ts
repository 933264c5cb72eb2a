import { describe, expect, test } from "bun:test";
import { resolve } from "node:path";
import {
  circles,
  findLayer,
  folderGraph,
  resolveImport,
  type SourceFile,
  sourceFilesIn,
} from "./import-graph.ts";

const source = resolve(import.meta.dir, "../src");

/** Each layer but the features, and the layers that it may import. `index.ts` alone composes the hooks. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  context: [],
  log: [],
  ledger: ["context"],
  history: ["context", "ledger"],
  storage: ["context", "ledger"],
  project: ["context", "storage"],
  sources: ["context", "project"],
  config: ["sources"],
  "search-index": ["ledger", "log", "storage"],
  status: ["context", "ledger", "log", "storage"],
  session: ["context", "ledger", "sources", "storage"],
  "feature-api": [
    ...["config", "context", "history", "ledger", "log", "project", "search-index", "status"],
    "storage",
  ],
  jobs: ["context", "feature-api", "project", "status", "storage"],
  runtime: [
    ...["config", "context", "feature-api", "jobs", "ledger", "log", "project", "session"],
    ...["sources", "status", "storage"],
    ...["features/compaction", "features/custom-sources", "features/inbox", "features/tracing"],
  ],
  "tui-server": ["context", "feature-api", "features/inbox", "log", "storage"],
  tui: ["feature-api", "status", "storage", "tui-server"],
  "tui.ts": ["features/list.ts", "tui"],
  hooks: [
    ...["config", "context", "feature-api", "features/tool-output", "jobs", "ledger", "log"],
    ...["project", "runtime", "session", "sources", "status", "storage", "tui-server"],
  ],
  "hooks-v2": [
    ...["config", "context", "feature-api", "features/tool-output", "jobs", "ledger", "log"],
    ...["project", "runtime", "session", "sources", "status", "storage"],
  ],
  "index.ts": ["features/list.ts", "hooks", "hooks-v2"],
  "registry.ts": ["context", "features/custom-sources"],
  "inbox.ts": ["feature-api", "features/inbox"],
};

/** A feature may import the contract of features, what this is made of, and what knows no feature. */
const BELOW_FEATURES = ["feature-api", ...(ARROWS["feature-api"] ?? []), "sources"];

/** What else a feature imports: other features, of which it needs more than they provide, and the session. */
const NEIGHBOURS: Readonly<Record<string, readonly string[]>> = {
  "features/compaction": ["features/history", "features/inbox", "session"],
  "features/history": ["features/search"],
  "features/maintenance": ["features/inbox", "features/memory"],
  "features/summaries": [
    ...["features/history", "features/inbox", "features/memory", "features/search"],
  ],
  "features/team": ["features/memory"],
};

/** The list may import each feature, and those that have their folders elsewhere. */
const LIST = "features/list.ts";
const FEATURES_ELSEWHERE = ["feature-api", "jobs", "tui-server"];

const PURE = ["context", "ledger", "history"];

/** The redaction of secrets: of the log's files, those that read a text and give a text. */
const PURE_FILES =
  /^log\/(?:assigned-secrets|card-numbers|issued-keys|next-sentence|placeholder|plain-word|secrets?|secret-[a-z-]+|seed-phrases)\.ts$/;

/** What the pure layers may take from outside: values and codecs only. */
const PURE_PACKAGES = ["zod", "xxhash-wasm"];

/** Of `features/compaction/` these alone touch the world; the rest of it is pure. */
const COMPACTION_EDGES = [
  "features/compaction/reader.ts",
  "features/compaction/make-brief.ts",
  "features/compaction/create-compaction.ts",
];

/** Names of the host's own. What a tool is called may be compared with in `ledger/host-tools.ts` alone. */
const HOST_NAMES: readonly RegExp[] = [
  /"(?:message|session|tui|server|permission|lsp|installation)\.[a-z]+(?:\.[a-z]+)*"/,
  /"(?:experimental|chat|tool\.execute|command\.execute)\.[a-z.]+"/,
  /(?<!": )"(?:bash|todowrite|todoread|multiedit|apply_patch|webfetch|websearch|codesearch)"/,
  /\btool(?:\.id)? [!=]== "(?!ctx_)[a-z_]+"/,
];

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
}

const files = sourceFilesIn(source);

function isFeature(layer: string): boolean {
  return layer.startsWith("features/") && layer !== LIST;
}

function isPure({ layer, path }: SourceFile): boolean {
  return PURE.includes(layer) || PURE_FILES.test(path);
}

/** Whether a file of a layer may import one of another. */
function mayImport(layer: string, other: string): boolean {
  if (layer === LIST) return isFeature(other) || FEATURES_ELSEWHERE.includes(other);
  if (!isFeature(layer)) return (ARROWS[layer] ?? []).includes(other);
  return [...BELOW_FEATURES, ...(NEIGHBOURS[layer] ?? [])].includes(other);
}

function target(file: SourceFile, specifier: string): string | null {
  return resolveImport(source, file, specifier);
}

describe("architecture", () => {
  test("every file belongs to a known layer", () => {
    const unknown = files.filter(
      ({ layer }) => !(layer in ARROWS || isFeature(layer) || layer === LIST),
    );
    expect(unknown.map(({ path }) => path)).toEqual([]);
  });

  test("I20: a change of a source wakes nothing: what observes and decides has no watcher and no clock of its own", () => {
    const asleep = ["context", "sources", "ledger", "history", "session"];
    /** Each ends something that a call has begun, and begins nothing. */
    const limits = ["sources/with-timeout.ts", "sources/run-command.ts"];
    const wakes =
      /\b(?:setInterval|setTimeout|watchFile|fs\.watch|FSWatcher|chokidar|cron)\b|\{[^}]*\bwatch\b[^}]*\} from "node:fs/;
    const found = files
      .filter(
        ({ path, layer, text }) =>
          asleep.includes(layer) && !limits.includes(path) && wakes.test(text),
      )
      .map(({ path }) => path);
    expect(found).toEqual([]);
  });

  test("imports follow the arrows, types too", () => {
    const wrong = files.flatMap((file) =>
      file.imports.flatMap((specifier) => {
        const path = target(file, specifier);
        const layer = path === null ? undefined : findLayer(path);
        if (layer === undefined || layer === file.layer) return [];
        return mayImport(file.layer, layer) ? [] : [`${file.path} -> ${path}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test("a feature may import what lies below all features, and another feature only where a line here says so", () => {
    expect(mayImport("features/new", "storage")).toBe(true);
    expect(mayImport("features/new", "features/memory")).toBe(false);
    expect(mayImport("features/new", "session")).toBe(false);
    expect(mayImport("storage", "features/new")).toBe(false);
    expect(mayImport("features/team", "features/memory")).toBe(true);
  });

  test("each arrow has its import", () => {
    const spare = Object.entries({ ...ARROWS, ...NEIGHBOURS }).flatMap(([layer, targets]) => {
      const used = files
        .filter((file) => file.layer === layer)
        .flatMap((file) => file.imports.map((name) => findLayer(target(file, name) ?? "")));
      return targets.filter((one) => !used.includes(one)).map((one) => `${layer} -> ${one}`);
    });
    expect(spare).toEqual([]);
  });

  test("context, ledger, history and redaction import nothing with effects", () => {
    const wrong = files
      .filter(isPure)
      .flatMap((file) =>
        file.imports
          .filter((name) => !name.startsWith(".") && !PURE_PACKAGES.includes(name))
          .map((name) => `${file.path} -> ${name}`),
      );
    expect(wrong).toEqual([]);
  });

  test("context, ledger, history and redaction read no clock, chance or environment", () => {
    const effects = /\b(?:Date\.now|new Date\(\)|Math\.random|setTimeout|process\.|Bun\.|fetch\()/;
    const wrong = files.filter((file) => isPure(file) && effects.test(file.text));
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  test("compaction is pure but for its reader", () => {
    const effects =
      /\b(?:Date\.now|new Date\(\)|Math\.random|setTimeout|process\.|Bun\.|fetch\()|"node:/;
    const wrong = files.filter(
      ({ path, layer, text }) =>
        layer === "features/compaction" && !COMPACTION_EDGES.includes(path) && effects.test(text),
    );
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  test("what the inbox decides is pure, and reaches no store and nothing that acts", () => {
    const pure = /^features\/inbox\/(?:plan|prompt-status|prompt|records|words|queue-command)\./;
    const acting =
      /\/(?:inbox|instance|arrival|facts|check|check-scheduler|send|in-flight-prompts|leases?|live-parts|no-reply|(?:lease-)?store)\.ts$/;
    const effects =
      /\b(?:Date\.now|new Date\(\)|Math\.random|setTimeout|process\.|Bun\.|crypto\.|await|async)\b|"node:/;
    const deciding = files.filter(({ path }) => pure.test(path));
    expect(deciding).toHaveLength(6);
    const wrong = deciding.filter(
      ({ text, imports }) => effects.test(text) || imports.some((name) => acting.test(name)),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  test("only hooks, the terminal UI's part and the entries import the host's packages", () => {
    const wrong = files.filter(
      (file) =>
        !["hooks", "index.ts", "tui", "tui.ts"].includes(file.layer) &&
        file.imports.some((name) => /^(?:@opencode-ai\/|@opentui\/|solid-js)/.test(name)),
    );
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  test("the host's events, hooks and tools are named at the edge, and its tools in one table", () => {
    const edges = ["hooks", "tui", "tui.ts", "hooks-v2"];
    const inner = files.filter(
      ({ layer, path }) => !edges.includes(layer) && path !== "ledger/host-tools.ts",
    );
    const wrong = inner.flatMap(({ path, text }) =>
      HOST_NAMES.flatMap((name) => {
        const found = name.exec(withoutComments(text))?.[0];
        return found === undefined ? [] : [`${path}: ${found}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test("what the terminal UI shows is decided without the terminal", () => {
    const edges = [
      "panel.ts",
      "paint.ts",
      "plugin.ts",
      "v2-tui.ts",
      "commands.ts",
      "report-dialog.ts",
      "queue-dialog.ts",
      "dialog.ts",
      "host-command.ts",
      "screen-state.ts",
    ];
    const wrong = files.filter(
      ({ path, layer, imports }) =>
        layer === "tui" &&
        !edges.includes(path.replace("tui/", "")) &&
        imports.some((name) => /^(?:@opencode-ai\/|@opentui\/|solid-js)/.test(name)),
    );
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  test("other packages import the plugin's modules by the names that its package exports", () => {
    const places = [
      "cli/src",
      "cli/test",
      "pi/src",
      "pi/test",
      "e2e/src",
      "e2e/test",
      "e2e/fixtures",
    ];
    const inside = places.flatMap((place) =>
      sourceFilesIn(resolve(import.meta.dir, "../..", place)).flatMap(({ path, imports }) =>
        imports
          .filter((name) => name.includes("plugin/src/"))
          .map((name) => `${place}/${path}: ${name}`),
      ),
    );
    expect(inside).toEqual([]);
  });

  test("git is started in one place, with an environment of its own", () => {
    const cli = sourceFilesIn(resolve(import.meta.dir, "../../cli/src"));
    const starting = [...files, ...cli].filter(({ text }) =>
      /\b(?:spawn|exec|execFile)(?:Sync)?\(\s*\[?["'`]git\b/.test(text),
    );
    expect(starting.map(({ path }) => path)).toEqual(["project/ask-git.ts"]);
  });

  test("no imports run in a circle", () => {
    const graph = new Map(
      files.map((file) => [
        file.path,
        file.imports.flatMap((specifier) => target(file, specifier) ?? []),
      ]),
    );
    expect(circles(graph)).toEqual([]);
  });

  test("no folders load each other, and none know each other's types", () => {
    expect(circles(folderGraph(source, files, ({ valueImports }) => valueImports))).toEqual([]);
    expect(circles(folderGraph(source, files, ({ imports }) => imports))).toEqual([]);
  });

  test("a file has at most 300 lines", () => {
    const long = files.filter((file) => file.text.split("\n").length > 301);
    expect(long.map((file) => file.path)).toEqual([]);
  });

  test("no file is called utils, helpers, manager or common", () => {
    const vague = files.filter((file) =>
      /(?:^|\/)(?:utils?|helpers?|manager|common)\b/.test(file.path),
    );
    expect(vague.map((file) => file.path)).toEqual([]);
  });
});
