import { describe, expect, test } from "bun:test";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../../src/config/schema.ts";
import { toSourceKey } from "../../../src/context/key.ts";
import { absent, Unavailable } from "../../../src/context/source.ts";
import type { FeatureContext } from "../../../src/feature-api/feature-context.ts";
import {
  createCustomSource,
  createCustomSourcesFeature,
  fillTemplate,
  loadFile,
  loadGlob,
  sanitizeText,
  toAbsolutePath,
} from "../../../src/features/custom-sources/custom-source.ts";
import { customSourcesFeature } from "../../../src/features/custom-sources/feature.ts";
import { observeGuarded } from "../../../src/session/source-observation.ts";
import { type CustomSourceEntry, toCustomSourceSpec } from "../../../src/sources/custom-spec.ts";
import type { FileCache, FileObservation } from "../../../src/sources/file-cache.ts";
import type { GlobWalker } from "../../../src/sources/glob-walk.ts";
import type { Confinement } from "../../../src/sources/read-file.ts";
import { runCommand } from "../../../src/sources/run-command.ts";
import { SCOPE } from "./follow.ts";

describe("a text from outside", () => {
  const rows = [
    ["\uFEFFa\uFEFFb", "a\uFEFFb"],
    ["a\uFEFFb", "a\uFEFFb"],
    ["\u001b[1;31mred\u001b[0m \u001b[2K\u001b[?25l\u001b[1 qend", "red end"],
    ["\u001b]0;title\u0007a\u001b]8;;http://x\u001b\\b", "ab"],
    ["\u001b]0;never closed", "\uFFFD]0;never closed"],
    ["a\r\nb\rc\n\td", "a\nb\nc\n\td"],
    ["a\u0000\u009b\u007fb", "a\uFFFD\uFFFD\uFFFDb"],
    ["\u061c\u200e\u200f\u202a\u202e\u2066\u2069x\u200b", `${"\uFFFD".repeat(7)}x\u200b`],
    ["\ud83d \ud83d\ude00", "\uFFFD \ud83d\ude00"],
  ] as const;
  test.each(rows)("%j is given as %j", (given, shown) => {
    expect(sanitizeText(given)).toBe(shown);
  });
});

describe("a template", () => {
  test("is filled wherever a name stands in braces, and says of what is blank that it is empty", () => {
    const values = { value: "{previous}", previous: " \n" };
    expect(fillTemplate("{value}, not {previous}; {value} {other} {}", values)).toBe(
      "{previous}, not (empty); {previous} {other} {}",
    );
  });
});

describe("an entry of the configuration", () => {
  const spec = (entry: CustomSourceEntry) => toCustomSourceSpec(toSourceKey("team/own"), entry);

  test("has its defaults by its origin", () => {
    expect(spec({ file: "a.md" })).toEqual({
      key: toSourceKey("team/own"),
      origin: { kind: "file", path: "a.md" },
      timeoutMs: null,
      maxBytes: 65_536,
      need: "optional",
      texts: {
        baseline: "team/own:\n{value}",
        update: "team/own has changed. It is now:\n{value}",
        removed: "team/own no longer applies.",
      },
    });
    expect(spec({ glob: "*.md" }).origin).toEqual({ kind: "glob", pattern: "*.md" });
    expect(spec({ env: "TEAM" }).origin).toEqual({ kind: "variable", name: "TEAM" });
    const { origin, timeoutMs } = spec({ command: ["echo", "a", "b"] });
    const line = { kind: "words", program: "echo", words: ["a", "b"] } as const;
    expect(origin).toEqual({ kind: "command", line, passEnv: [], refreshMs: 10_000 });
    expect(timeoutMs).toBeNull();
  });

  test("says itself what it wants", () => {
    const texts = { baseline: "b", update: "u", removed: "r" };
    const entry = { command: { shell: "echo a" }, passEnv: ["A"], refreshMs: 0, ...texts };
    const given = spec({ ...entry, timeoutMs: 5, maxBytes: 6, required: true });
    const line = { kind: "shell", line: "echo a" } as const;
    const origin = { kind: "command", line, passEnv: ["A"], refreshMs: 0 } as const;
    expect(given).toMatchObject({ origin, timeoutMs: 5, maxBytes: 6, need: "required", texts });
    expect(spec({ env: "A", required: false }).need).toBe("optional");
  });
});

describe("the source of an entry", () => {
  const entrySource = (entry: CustomSourceEntry, confinement: Confinement | null) =>
    createCustomSource(toCustomSourceSpec(toSourceKey("team/own"), entry), {
      directory: "/",
      env: { PATH: process.env.PATH },
      now: Date.now,
      signal: new AbortController().signal,
      confinement,
    });

  test("is required where the entry says so, and optional without a word", () => {
    expect(entrySource({ env: "A", required: true }, null)).toHaveProperty("required", true);
    expect(entrySource({ env: "A" }, null)).not.toHaveProperty("required");
  });

  test("is unavailable once a file has not answered in time", async () => {
    const never = { resolve: () => new Promise(() => undefined) } as unknown as Confinement;
    const source = entrySource({ file: "/etc/hostname", timeoutMs: 20 }, never);
    expect(await source.load()).toEqual(new Unavailable("no answer within 20 ms"));
  });

  test("reads files to their end where the entry names no time", async () => {
    const { promise, resolve } = Promise.withResolvers<null>();
    const slow = { resolve: () => promise } as unknown as Confinement;
    const source = entrySource({ file: "/etc/hostname" }, slow);
    expect(source.readsFilesAlone?.()).toBe(true);
    const loaded = source.load();
    setTimeout(() => resolve(null), 1_100);
    expect(JSON.stringify(await loaded) ?? "absent").not.toContain("no answer");
  });

  test("reads files alone in a glob too, and in no command and no variable", () => {
    const readsFiles = (entry: CustomSourceEntry) => entrySource(entry, null).readsFilesAlone?.();
    expect(readsFiles({ glob: "docs/*.md" })).toBe(true);
    expect(readsFiles({ command: ["date"] })).toBe(false);
    expect(readsFiles({ env: "A" })).toBe(false);
  });

  test("leaves a command that takes too long to the command's own time limit", async () => {
    const source = entrySource({ command: ["sleep", "30"], timeoutMs: 20 }, null);
    expect(await source.load()).toEqual(
      new Unavailable("still running after 20 ms; it was killed"),
    );
  });
});

describe("the feature of configured sources", () => {
  test("is opened only where the configuration has an entry", () => {
    const isOn = (sources: object) => customSourcesFeature.isOn?.({ sources } as unknown as Config);
    expect([isOn({}), isOn({ "team/own": { env: "A" } })]).toEqual([false, true]);
  });

  const commands = { "team/own": { command: ["sleep", "30"] } };
  const feature = () =>
    createCustomSourcesFeature({
      location: { directory: "/", worktree: "/" },
      config: { sources: commands },
      confined: new Map(),
      env: { PATH: process.env.PATH },
      now: Date.now,
    } as unknown as FeatureContext);

  test("brings the entries as sources, and ends what runs when the host ends", async () => {
    const { sources, hooks } = feature();
    const context = sources?.(SCOPE);
    if (context === undefined) throw new Error("no sources");
    const observing = observeGuarded(context, { timeoutMs: 10_000, files: "as others" });
    hooks?.closed?.();
    const reason = "the host ended";
    expect(await observing).toMatchObject([{ key: "team/own", state: { reason } }]);
  });
});

describe("paths", () => {
  test("are the user's own below ~/, else of the directory", () => {
    expect(toAbsolutePath("~/a", "/w")).toBe(join(homedir(), "a"));
    expect(toAbsolutePath("a/../b", "/w")).toBe("/w/b");
    expect(toAbsolutePath("/a", "/w")).toBe("/a");
    expect(toAbsolutePath("a~/b", "/w")).toBe("/w/a~/b");
  });

  /** Files as they are seen, by path, and where a pattern was walked. */
  function disk(seen: Readonly<Record<string, FileObservation>>) {
    const walks: unknown[] = [];
    const files = {
      limitBytes: 100,
      keepFor: () => undefined,
      observe: (path: string) => seen[path] ?? "missing",
    } as unknown as FileCache;
    const globs = {
      findFiles: async (pattern: string, { cwd, dots }: { cwd: string; dots: string }) => {
        walks.push([pattern, cwd, dots]);
        return Object.keys(seen);
      },
    } as unknown as GlobWalker;
    return { files, walks, deps: { directory: "/w", files, globs, confinement: null } };
  }
  const textAt = (path: string, content: string) => ({ [path]: { path, content } });

  test("a pattern is walked from where its names begin, and files outside have their whole path", async () => {
    const seen = { ...textAt("/w/b", "B \n"), ...textAt("/a", "A"), ...textAt("/w/..c", "C") };
    const { walks, deps } = disk(seen);
    expect(await loadGlob("*", deps)).toBe("/a:\nA\n\n..c:\nC\n\nb:\nB");
    await loadGlob("~/x/*", deps);
    await loadGlob("/etc/*", deps);
    expect(walks).toEqual([
      ["*", "/w", "unmatched"],
      ["x/*", homedir(), "unmatched"],
      ["etc/*", "/", "unmatched"],
    ]);
  });

  test("what lies beyond the limit is left out with a note, also where a file ends right at it", async () => {
    const full = textAt("/w/a", "x".repeat(97));
    expect(await loadGlob("*", disk(full).deps)).toBe(`a:\n${"x".repeat(97)}`);
    expect(await loadGlob("*", disk({ ...full, ...textAt("/w/b", "B") }).deps)).toBe(
      `a:\n${"x".repeat(97)}\n[Cut here: the rest, after 100 bytes, is left out.]`,
    );
  });

  test("of what a pattern matches, what is no file is left out; what can't be seen leaves all unsaid", async () => {
    const text = textAt("/w/a", "A");
    const some = disk({ ...text, "/w/b": "irregular", "/w/c": "outside" });
    expect(await loadGlob("*", some.deps)).toBe("a:\nA");
    expect(await loadGlob("*", disk({ "/w/b": "irregular" }).deps)).toBe(absent);
    const gone = disk({ ...text, "/w/b": "missing" });
    expect(await loadGlob("*", gone.deps)).toEqual(new Unavailable("/w/b vanished"));
    const failing = disk({ ...text, "/w/b": new Unavailable("EIO") });
    expect(await loadGlob("*", failing.deps)).toEqual(new Unavailable("EIO"));
  });

  test("one file is its text without its end, absent, or unavailable", async () => {
    const { files } = disk({
      ...textAt("/w/a", " A\n\n"),
      "/w/b": "irregular",
      "/w/c": "outside",
      "/w/d": new Unavailable("EIO"),
    });
    expect(await loadFile("/w/a", files)).toBe(" A");
    expect(await loadFile("/w/none", files)).toBe(absent);
    expect(await loadFile("/w/c", files)).toBe(absent);
    expect(await loadFile("/w/b", files)).toEqual(new Unavailable("/w/b is not a regular file"));
    expect(await loadFile("/w/d", files)).toEqual(new Unavailable("EIO"));
  });
});

describe("a command", () => {
  function running(shell: string, change: { readonly maxBytes?: number; directory?: string } = {}) {
    const ending = new AbortController();
    const line = { kind: "shell", line: shell } as const;
    const env = { PATH: process.env.PATH ?? "" };
    const { signal } = ending;
    const run = { line, env, signal, timeoutMs: 5_000, directory: "/", maxBytes: 10, ...change };
    return { ending, start: () => runCommand(run) };
  }

  test("says all that fits, and what is more is cut", async () => {
    const whole = await running("printf 1234567890").start();
    expect(whole).toEqual({ kind: "said", output: "1234567890" });
    const cut = await running("printf 12345678901").start();
    expect(cut).toEqual({
      kind: "said",
      output: "1234567890\n[Cut here: the rest, after 10 bytes, is left out.]",
    });
  });

  test("has nothing to read, and may complain as much as it likes", async () => {
    const complaint = "head -c 300000 /dev/zero >&2";
    expect(await running(`cat; ${complaint}; echo end`).start()).toEqual({
      kind: "said",
      output: "end\n",
    });
  });

  test("that is started as the host ends, or runs then, has failed", async () => {
    const ended = { kind: "failed", reason: "the host ended" } as const;
    const late = running("sleep 30");
    late.ending.abort();
    expect(await late.start()).toEqual(ended);
    const early = running("sleep 30");
    const end = early.start();
    early.ending.abort();
    expect(await end).toEqual(ended);
  });

  test("that can't be started has failed, with the code alone", async () => {
    const end = await running("true", { directory: "/no/such/folder" }).start();
    expect(end).toEqual({ kind: "failed", reason: "can't be started (ENOENT)" });
    const bad = await running("true", { directory: "/\0" }).start();
    expect(bad).toEqual({ kind: "failed", reason: "can't be started (ERR_INVALID_ARG_VALUE)" });
  });

  test("that has ended listens to the host's end no more", async () => {
    const { ending, start } = running("true");
    const removed: unknown[] = [];
    const remove = ending.signal.removeEventListener.bind(ending.signal);
    ending.signal.removeEventListener = (...words: Parameters<typeof remove>) => {
      removed.push(words[0]);
      remove(...words);
    };
    expect(await start()).toEqual({ kind: "said", output: "" });
    expect(removed).toContain("abort");
  });
});
