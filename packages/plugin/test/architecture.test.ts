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

/** Each layer but the rooms, and the layers that it may import. `index.ts` alone composes the hooks. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  context: [],
  projection: ["context"],
  policies: ["context", "projection"],
  history: ["context", "policies", "projection"],
  limits: ["features", "storage"],
  simulation: ["history", "policies", "projection"],
  storage: ["context", "projection"],
  sources: ["context", "features", "git"],
  config: ["sources"],
  redaction: [],
  log: ["redaction"],
  options: ["sources"],
  index: ["log", "projection", "storage"],
  git: [],
  project: ["context", "git", "storage"],
  status: ["context", "log", "projection", "storage"],
  tui: ["rooms/channel", "features", "status", "storage"],
  "tui.ts": ["rooms.ts", "tui"],
  session: ["context", "policies", "projection", "sources", "storage"],
  jobs: ["context", "features", "status", "storage", "project"],
  features: [
    "config",
    "context",
    "history",
    "index",
    "log",
    "policies",
    "projection",
    "status",
    "storage",
    "project",
  ],
  host: ["features", "jobs", "log", "session", "sources", "storage", "project"],
  instance: [
    "config",
    "context",
    "features",
    "host",
    "jobs",
    "log",
    "options",
    "policies",
    "projection",
    "session",
    "sources",
    "status",
    "storage",
    "rooms/continuity",
    "rooms/inbox",
    "rooms/traces",
    "project",
  ],
  hooks: [
    "config",
    "context",
    "rooms/channel",
    "features",
    "host",
    "instance",
    "jobs",
    "log",
    "options",
    "projection",
    "session",
    "sources",
    "status",
    "storage",
    "rooms/tool-output",
    "project",
  ],
  v2: [
    "config",
    "context",
    "features",
    "host",
    "instance",
    "jobs",
    "log",
    "projection",
    "session",
    "sources",
    "status",
    "storage",
    "rooms/tool-output",
    "project",
  ],
  "index.ts": ["hooks", "rooms.ts", "v2"],
  "registry.ts": ["context", "sources"],
  "inbox.ts": ["features", "rooms/inbox"],
};

/** A room may import the contracts of features, what these are made of, and what knows no feature. */
const BELOW_ROOMS = ["features", ...(ARROWS.features ?? []), "git", "redaction", "sources"];

/** What else a room imports: other rooms, whose doors are not enough for it, and parts of the runtime. */
const NEIGHBOURS: Readonly<Record<string, readonly string[]>> = {
  "rooms/augment": ["rooms/recall", "rooms/search-hints"],
  "rooms/channel": ["rooms/inbox"],
  "rooms/continuity": ["rooms/inbox", "rooms/rewrites", "session"],
  "rooms/historian": ["rooms/inbox", "rooms/memory", "rooms/recall", "rooms/rewrites"],
  "rooms/let-go": ["rooms/recall", "rooms/rewrites"],
  "rooms/nudges": ["rooms/let-go", "rooms/rewrites"],
  "rooms/profile": ["rooms/memory"],
  "rooms/rewrites": ["limits", "rooms/recall"],
  "rooms/search-hints": ["rooms/recall"],
  "rooms/smart-notes": ["rooms/memory"],
  "rooms/team": ["rooms/memory"],
  "rooms/upkeep": ["rooms/inbox", "rooms/memory"],
};

/** The list may import each room, and the features that have their folders elsewhere. */
const LIST = "rooms.ts";
const FEATURES_ELSEWHERE = ["features", "jobs", "sources"];

const PURE = ["context", "projection", "policies", "history", "simulation", "redaction"];

/** What the pure layers may take from outside: values and codecs only. */
const PURE_PACKAGES = ["zod", "xxhash-wasm"];

/** Of `continuity/` these alone touch the world; the rest of it is pure. */
const CONTINUITY_EDGES = [
  "rooms/continuity/reader.ts",
  "rooms/continuity/make-brief.ts",
  "rooms/continuity/room.ts",
  "rooms/continuity/brief-report.ts",
];

/** Names of the host's own. What a tool is called may be compared with in `projection/host-tools.ts` alone. */
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

function isRoom(layer: string): boolean {
  return layer.startsWith("rooms/");
}

/** Whether a file of a layer may import one of another. */
function mayImport(layer: string, other: string): boolean {
  if (layer === LIST) return isRoom(other) || FEATURES_ELSEWHERE.includes(other);
  if (!isRoom(layer)) return (ARROWS[layer] ?? []).includes(other);
  return [...BELOW_ROOMS, ...(NEIGHBOURS[layer] ?? [])].includes(other);
}

function target(file: SourceFile, specifier: string): string | null {
  return resolveImport(source, file, specifier);
}

describe("architecture", () => {
  test("every file belongs to a known layer", () => {
    const unknown = files.filter(
      ({ layer }) => !(layer in ARROWS || isRoom(layer) || layer === LIST),
    );
    expect(unknown.map(({ path }) => path)).toEqual([]);
  });

  test("I20: a change of a source wakes nothing: what observes and decides has no watcher and no clock of its own", () => {
    const asleep = ["context", "sources", "policies", "projection", "history", "session"];
    /** Each ends something that a call has begun, and begins nothing. */
    const limits = ["sources/within.ts", "sources/custom/run-command.ts"];
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

  test("a room may import what lies below all rooms, and another room only where a line here says so", () => {
    expect(mayImport("rooms/new", "storage")).toBe(true);
    expect(mayImport("rooms/new", "rooms/memory")).toBe(false);
    expect(mayImport("rooms/new", "session")).toBe(false);
    expect(mayImport("storage", "rooms/new")).toBe(false);
    expect(mayImport("rooms/team", "rooms/memory")).toBe(true);
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

  test("context, projection and policies import nothing with effects", () => {
    const wrong = files
      .filter((file) => PURE.includes(file.layer))
      .flatMap((file) =>
        file.imports
          .filter((name) => !name.startsWith(".") && !PURE_PACKAGES.includes(name))
          .map((name) => `${file.path} -> ${name}`),
      );
    expect(wrong).toEqual([]);
  });

  test("context, projection and policies read no clock, chance or environment", () => {
    const effects = /\b(?:Date\.now|new Date\(\)|Math\.random|setTimeout|process\.|Bun\.|fetch\()/;
    const wrong = files.filter((file) => PURE.includes(file.layer) && effects.test(file.text));
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  test("continuity is pure but for its reader", () => {
    const effects =
      /\b(?:Date\.now|new Date\(\)|Math\.random|setTimeout|process\.|Bun\.|fetch\()|"node:/;
    const wrong = files.filter(
      ({ path, layer, text }) =>
        layer === "rooms/continuity" && !CONTINUITY_EDGES.includes(path) && effects.test(text),
    );
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  test("what the inbox decides is pure, and reaches no store and nothing that acts", () => {
    const pure = /^rooms\/inbox\/(?:plan|standing|prompt|records|words|queue-command)\./;
    const acting =
      /\/(?:inbox|instance|arrival|facts|looks?|send|traffic|leases?|live-parts|no-reply|(?:lease-)?store)\.ts$/;
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
    const edges = ["hooks", "tui", "tui.ts", "v2"];
    const inner = files.filter(
      ({ layer, path }) => !edges.includes(layer) && path !== "projection/host-tools.ts",
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
      "shown.ts",
    ];
    const wrong = files.filter(
      ({ path, layer, imports }) =>
        layer === "tui" &&
        !edges.includes(path.replace("tui/", "")) &&
        imports.some((name) => /^(?:@opencode-ai\/|@opentui\/|solid-js)/.test(name)),
    );
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  test("git is started in one place, with an environment of its own", () => {
    const cli = sourceFilesIn(resolve(import.meta.dir, "../../cli/src"));
    const starting = [...files, ...cli].filter(({ text }) =>
      /\b(?:spawn|exec|execFile)(?:Sync)?\(\s*\[?["'`]git\b/.test(text),
    );
    expect(starting.map(({ path }) => path)).toEqual(["git/ask.ts"]);
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
