import { expect, test } from "bun:test";
import { absent, Unavailable } from "../../../src/context/source.ts";
import { KeyFiles } from "../../../src/features/search/create-key-files.ts";
import type { OutlinedFile } from "../../../src/features/search/key-file-listing.ts";
import type { FileTouch } from "../../../src/features/search/key-file-rank.ts";
import type { Outliner } from "../../../src/features/search/outliner.ts";
import type { KeyFileSettings } from "../../../src/features/search/settings.ts";
import type { SessionId } from "../../../src/storage/records.ts";

const SES = "ses_1" as SessionId;

/** Read by two sessions, the earlier ones more often. */
function touched(paths: readonly string[]): readonly FileTouch[] {
  return paths.flatMap((path, at) =>
    Array.from({ length: 40 - at }, (_, session) => {
      return { session, words: `read ${path}`, count: 1, lastAtMs: 0 };
    }),
  );
}

function keyFiles(paths: readonly string[], settings: Partial<KeyFileSettings> = {}) {
  const state = {
    ...{ nowMs: 0, asked: 0, outlined: 0, fault: null as Error | null },
    ranked: paths,
    stamps: new Map<string, string>(),
    gone: new Set<string>(),
    texts: new Map<string, string>(),
  };
  const outliner: Pick<Outliner, "readStamp" | "outline"> = {
    readStamp: (path) => (state.gone.has(path) ? null : (state.stamps.get(path) ?? "1")),
    async outline(path): Promise<OutlinedFile | null> {
      state.outlined += 1;
      if (state.fault) throw state.fault;
      return { path, lines: [state.texts.get(path) ?? "class A"] };
    },
  };
  const files = new KeyFiles({
    async touches() {
      state.asked += 1;
      if (state.fault) throw state.fault;
      return touched(state.ranked);
    },
    outliner: outliner as Outliner,
    settings: { enabled: true, pinned: [], banned: [], ...settings },
    now: () => state.nowMs,
  });
  return { files, state };
}

test("pinned files come first, each file once, those that are not there nowhere", async () => {
  const { files, state } = keyFiles(["a.ts", "b.ts", "c.ts"], { pinned: ["c.ts", "pin.ts"] });
  state.gone.add("a.ts");
  expect(await files.chooseFiles()).toEqual(["c.ts", "pin.ts", "b.ts"]);
});

test("24 files are chosen at most, of those that are there", async () => {
  const paths = Array.from({ length: 30 }, (_, at) => `f${at}.ts`);
  const { files, state } = keyFiles(paths);
  expect(await files.chooseFiles()).toEqual(paths.slice(0, 24));
  state.gone.add("f0.ts");
  expect(await files.chooseFiles()).toEqual(paths.slice(1, 25));
});

test("a banned file is none, and a banned folder has none, however it is written", async () => {
  const paths = ["gen/a.ts", "gen", "gen.ts", "general/a.ts", "out/b.ts", "src/gen/a.ts"];
  const { files } = keyFiles(paths, { banned: ["gen", "out/", "gen.ts"], pinned: ["gen/pin.ts"] });
  expect(await files.chooseFiles()).toEqual(["general/a.ts", "src/gen/a.ts"]);
});

test("the ranking is made again after ten minutes, and not before", async () => {
  const { files, state } = keyFiles(["a.ts"]);
  await files.chooseFiles();
  state.ranked = ["b.ts"];
  state.nowMs = 599_999;
  expect((await files.rankFiles()).map(({ path }) => path)).toEqual(["a.ts"]);
  expect(state.asked).toBe(1);
  state.nowMs = 600_000;
  expect((await files.rankFiles()).map(({ path }) => path)).toEqual(["b.ts"]);
  expect(state.asked).toBe(2);
});

test("a session keeps its files, and is given them at once while none has moved", async () => {
  const { files, state } = keyFiles(["a.ts", "b.ts"]);
  const first = await files.load(SES);
  state.ranked = ["c.ts"];
  state.nowMs = 600_000;
  expect(files.load(SES)).toBe(first as never);
  expect(state.outlined).toBe(2);
  files.forget(SES);
  expect(await files.load(SES)).toEqual({ files: [{ path: "c.ts", lines: ["class A"] }] });
});

test("a file that has moved is outlined again; the same outline is the same object", async () => {
  const { files, state } = keyFiles(["a.ts"]);
  const first = await files.load(SES);
  state.stamps.set("a.ts", "2");
  expect(await files.load(SES)).toBe(first as never);
  expect(state.outlined).toBe(2);
  state.stamps.set("a.ts", "3");
  state.texts.set("a.ts", "class B");
  expect(await files.load(SES)).toEqual({ files: [{ path: "a.ts", lines: ["class B"] }] });
});

test("without files there is nothing to say", async () => {
  expect(await keyFiles([]).files.load(SES)).toBe(absent);
});

test("what can't be read now is unavailable, with the reason", async () => {
  const { files, state } = keyFiles(["a.ts"]);
  state.fault = new Error("the index is locked");
  const ranking = await files.load(SES);
  expect(ranking).toBeInstanceOf(Unavailable);
  state.fault = null;
  await files.chooseFiles();
  state.fault = new Error("the disk is gone");
  const outlining = await files.load(SES);
  expect(outlining).toBeInstanceOf(Unavailable);
  const reasons = [ranking, outlining].map((loaded) => JSON.stringify(loaded));
  expect(reasons[0]).toContain("the index is locked");
  expect(reasons[1]).toContain("the disk is gone");
});
