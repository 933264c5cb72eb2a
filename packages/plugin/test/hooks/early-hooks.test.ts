import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { Hooks } from "@opencode-ai/plugin";
import type { Feature } from "../../src/feature-api/feature.ts";
import type { InboxService } from "../../src/feature-api/prompt.ts";
import { inboxFeature } from "../../src/features/inbox/feature.ts";
import { getSharedServices } from "../../src/features/inbox/service.ts";
import type { OpenPlugin } from "../../src/hooks/create-plugin.ts";
import { createEarlyHooks } from "../../src/hooks/early-hooks.ts";
import { HostConfig } from "../../src/hooks/host-config.ts";
import { hookNames, type OurHooks } from "../../src/hooks/host-names.ts";
import { LazyPlugin } from "../../src/hooks/lazy.ts";
import { findLayer } from "../import-graph.ts";

const SOURCE = resolve(import.meta.dir, "../../src");

const transpiler = new Bun.Transpiler({ loader: "ts" });

/** What a file imports when it is loaded itself: neither types nor what it imports later. */
function staticImports(path: string): readonly string[] {
  const imports = transpiler.scanImports(readFileSync(path, "utf8"));
  return imports.filter(({ kind }) => kind === "import-statement").map((found) => found.path);
}

function loadedBy(entry: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const visit = (path: string) => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const name of staticImports(path)) {
      if (name.startsWith(".")) visit(resolve(dirname(path), name));
      else seen.add(name);
    }
  };
  visit(entry);
  return seen;
}

interface Stand {
  readonly hooks: Hooks;
  readonly calls: string[];
  readonly failures: unknown[];
  /** Lets the loading end. */
  readonly release: (plugin: "loads" | "breaks") => void;
}

function one<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("There is none");
  return value;
}

const EVENT = { event: { type: "session.idle", properties: { sessionID: "ses_1" } } } as const;

const service: InboxService = {
  admit: async () => null,
  list: async () => [],
  interrupt: async () => "idle",
  resume: async () => ({ kind: "nothing", message: "" }),
};

/** A feature with one tool, and the one that other plugins reach. */
const features: readonly Feature[] = [
  inboxFeature,
  {
    name: "test",
    tools: [
      {
        name: "ctx_test",
        description: "Test.",
        args: {
          ref: { kind: "text", need: "required", says: "which" },
          lines: { kind: "integer", need: "optional", says: "how many", atLeast: 1, atMost: 9 },
        },
      },
    ],
    open: async () => ({}),
  },
];

function stand(directory: string, storage: "open" | "failed" = "open"): Stand {
  const calls: string[] = [];
  const failures: unknown[] = [];
  const gate = Promise.withResolvers<"loads" | "breaks">();
  const called = (name: string) => async () => void calls.push(name);
  const plugin: OpenPlugin = {
    hooks: Object.fromEntries(hookNames.map((name) => [name, called(name)])) as unknown as OurHooks,
    requireFeature: (feature) => {
      calls.push(`feature ${feature}`);
      return { provides: { inbox: service } };
    },
    runTool: async (name, given) => {
      calls.push(`${name} ${JSON.stringify(given)}`);
      return { title: name, text: "done" };
    },
    reportDoubled: () => void calls.push("duplicate"),
    storage: () => storage,
  };
  const deferred = new LazyPlugin(
    async () => {
      calls.push("load");
      if ((await gate.promise) === "breaks") throw new Error("a file is missing");
      return plugin;
    },
    (error) => failures.push(error),
  );
  const hostConfig = new HostConfig(directory);
  const hooks = createEarlyHooks({ directory, hostConfig, deferred, features, listed: features });
  return { hooks, calls, failures, release: gate.resolve };
}

function isFeature(layer: string): boolean {
  return layer.startsWith("features/") && !layer.endsWith(".ts");
}

describe("the early hooks of the plugin", () => {
  test("the entry loads neither a schema library nor the database nor the runtime", () => {
    const loaded = [...loadedBy(join(SOURCE, "index.ts"))];
    expect(loaded.some((name) => name.endsWith("hooks/early-hooks.ts"))).toBe(true);
    const layers = loaded
      .filter((name) => name.startsWith(SOURCE))
      .map((name) => findLayer(relative(SOURCE, name)));
    expect([...new Set(layers)].filter((layer) => !isFeature(layer)).sort()).toEqual([
      ...["config", "feature-api", "features/list.ts", "hooks", "hooks-v2", "index.ts"],
      ...["jobs", "runtime"],
    ]);
    const filesOf = (layer: string) =>
      loaded.filter((name) => name.startsWith(join(SOURCE, layer))).map((name) => basename(name));
    expect(filesOf("runtime/")).toEqual(["startup-config.ts"]);
    expect(filesOf("hooks-v2/").sort()).toEqual(["context.ts", "setup.ts"]);
    const lightly = /^(?:[a-z-]+-)?(?:feature|settings|tools)\.ts$/;
    expect(filesOf("features/search/").filter((name) => !lightly.test(name))).toEqual([]);
    const packages = loaded.filter((name) => !name.startsWith("/") && !name.startsWith("node:"));
    expect(packages).toEqual([]);
  });

  test("they have the hooks of the one list, and tools", () => {
    expect(Object.keys(stand("/one").hooks).sort()).toEqual(["tool", ...hookNames].sort());
  });

  test("a feature's declaration loads nothing at the host's start but names, texts and keys", () => {
    const declared = [...loadedBy(join(SOURCE, "index.ts"))].filter((name) =>
      /(?:\/|-)feature\.ts$/.test(name),
    );
    const features = declared.flatMap((path) => [
      ...readFileSync(path, "utf8").matchAll(/^export const \w+Feature\b/gm),
    ]);
    expect(features.length).toBeGreaterThan(20);
    for (const feature of declared) {
      const places = [dirname(feature), join(SOURCE, "feature-api")];
      // Another feature's settings are values too.
      const others = [...loadedBy(feature)].filter(
        (name) => !places.includes(dirname(name)) && !/\/(?:config|settings?)\.ts$/.test(name),
      );
      expect(others).toEqual([]);
    }
  });

  test("the config hook does not wait for the deferred plugin", async () => {
    const { hooks, calls } = stand("/config");
    const config: Parameters<NonNullable<Hooks["config"]>>[0] = {};
    await hooks.config?.(config);
    expect(calls).toEqual(["load"]);
    expect(Object.keys(config.command ?? {})).toContain("ctx-status");
    expect(getSharedServices().has("/config")).toBe(true);
  });

  test("a hook that comes early is answered after the config hook, in order", async () => {
    const { hooks, calls, release } = stand("/early");
    const first = hooks.event?.(EVENT);
    await hooks.config?.({});
    const second = hooks.event?.(EVENT);
    release("loads");
    await Promise.all([first, second]);
    expect(calls.filter((name) => name === "load")).toHaveLength(1);
    expect(calls.indexOf("config")).toBeLessThan(calls.lastIndexOf("event"));
  });

  test("once the rest is there, a call reaches it at once", async () => {
    const { hooks, calls, release } = stand("/at-once");
    release("loads");
    await hooks.event?.(EVENT);
    const before = calls.length;
    const second = hooks.event?.(EVENT);
    expect(calls.slice(before)).toEqual(["event"]);
    await second;
  });

  test("I15: where the rest can't be loaded, hooks leave the host alone and it is told once", async () => {
    const { hooks, calls, failures, release } = stand("/broken");
    release("breaks");
    await hooks.config?.({});
    await hooks.event?.(EVENT);
    await hooks.event?.(EVENT);
    expect(calls).toEqual(["load"]);
    expect(failures).toEqual([new Error("a file is missing")]);
    const admitted = getSharedServices().get("/broken")?.list("ses_1");
    expect(admitted).rejects.toThrow("could not be loaded");
    await hooks.dispose?.();
    expect(getSharedServices().has("/broken")).toBe(false);
  });

  test("a second instance on a directory loads nothing, and the first one says so", async () => {
    const config = {};
    const first = stand("/twice");
    const second = stand("/twice");
    first.release("loads");
    await first.hooks.config?.(config);
    await second.hooks.config?.(config);
    await second.hooks.event?.(EVENT);
    await first.hooks.event?.(EVENT);
    expect(second.calls).toEqual([]);
    expect(first.calls).toContain("duplicate");
    await second.hooks.dispose?.();
    expect(getSharedServices().has("/twice")).toBe(true);
    await first.hooks.dispose?.();
    expect(getSharedServices().has("/twice")).toBe(false);
    expect(first.calls).toContain("dispose");
  });

  test("the host reads tools without loading the rest, and a call waits for it", async () => {
    const { hooks, calls, release } = stand("/tools");
    const tool = one(hooks.tool?.ctx_test);
    expect(JSON.parse(JSON.stringify(tool))).toEqual({
      description: "Test.",
      args: {
        ref: { type: "string", description: "which" },
        lines: { type: "integer", minimum: 1, maximum: 9, description: "how many" },
      },
    });
    expect(calls).toEqual([]);
    const answer = tool.execute({ ref: "a" }, {} as Parameters<typeof tool.execute>[1]);
    release("loads");
    expect(await answer).toEqual({ title: "ctx_test", output: "done" });
    expect(calls).toEqual(["load", 'ctx_test {"ref":"a"}']);
  });

  test("I15: tools are not offered where the database could not be opened: a call would only fail", async () => {
    for (const [storage, offered] of [
      ["open", ["ctx_test"]],
      ["failed", []],
    ] as const) {
      const { hooks, release } = stand(`/tools-${storage}`, storage);
      release("loads");
      await hooks.event?.({ event: {} as never });
      expect(Object.keys(hooks.tool ?? {})).toEqual([...offered]);
    }
  });

  test("a second instance on a directory offers no tools: a call would reach an idle one", async () => {
    const config = {};
    const [first, second] = [stand("/tools-twice"), stand("/tools-twice")];
    first.release("loads");
    await first.hooks.config?.(config);
    await second.hooks.config?.(config);
    expect(Object.keys(one(first.hooks.tool))).toEqual(["ctx_test"]);
    expect(second.hooks.tool).toEqual({});
  });

  test("an instance that nothing was asked of is given up without being loaded", async () => {
    const { hooks, calls } = stand("/unused");
    await hooks.dispose?.();
    expect(calls).toEqual([]);
  });
});
