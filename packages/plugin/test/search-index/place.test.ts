import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Notice } from "../../src/log/notices.ts";
import { IndexFile } from "../../src/search-index/file.ts";
import {
  findOccupant,
  hasIndex,
  IndexPathBlockedError,
  type PathObstacle,
} from "../../src/search-index/place.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import { makePrivate } from "../../src/storage/files.ts";
import { folder } from "../features/search/stage.ts";

const readMode = (path: string) => statSync(path).mode & 0o777;

function indexAt(path: string, over: (code: string) => void = () => undefined): IndexFile {
  const notice = ({ code }: Notice) => expect(code).toBe("recall_place_taken");
  return new IndexFile({ path, openDriver: openBunDriver, notice, over });
}

function use(file: IndexFile): unknown {
  try {
    return file.use(({ driver }) => driver.get("SELECT count(*) AS parts FROM document")?.parts);
  } catch (error) {
    return error;
  }
}

test("where a file stands on the way to it, there is no index, and nothing fails", () => {
  const file = join(folder(), "file");
  writeFileSync(file, "");
  expect(hasIndex(join(file, "some.recall.db"))).toBe(false);
  expect(findOccupant(join(file, "some.recall.db"))).toBeNull();
});

test("where nothing stands there is no index, and where a file stands there is", () => {
  const path = join(folder(), "some.recall.db");
  expect(hasIndex(path)).toBe(false);
  writeFileSync(path, "");
  expect(hasIndex(path)).toBe(true);
});

const OTHERS: readonly (readonly [PathObstacle, (path: string) => void])[] = [
  ["a link", (path) => symlinkSync(`${path}.not-there`, path)],
  ["a folder", (path) => mkdirSync(path, { mode: 0o755 })],
  ["a pipe", (path) => void Bun.spawnSync(["mkfifo", "-m", "644", path])],
  [
    "a socket",
    (path) => void Bun.listen({ unix: path, socket: { data: () => undefined } }).unref(),
  ],
];

describe("something else in the place of an index's file", () => {
  for (const [occupant, make] of OTHERS) {
    test(`${occupant} is named, and left as it is; moved away, the index works`, () => {
      const path = join(folder(), "runtime.recall.db");
      make(path);
      const before = lstatSync(path);
      const over: string[] = [];
      const file = indexAt(path, (code) => over.push(code));
      const error = use(file);
      expect(error).toBeInstanceOf(IndexPathBlockedError);
      expect(error).toMatchObject({
        code: "unopenable",
        message: `${path} is ${occupant}, and must be a file or not there.`,
      });
      expect(hasIndex(path)).toBe(false);
      const after = lstatSync(path);
      expect([after.ino, after.mode]).toEqual([before.ino, before.mode]);
      expect(existsSync(`${path}.not-there`)).toBe(false);
      renameSync(path, `${path}.away`);
      expect(over).toEqual([]);
      expect(use(file)).toBe(0);
      expect(over).toEqual(["recall_place_taken"]);
      expect([findOccupant(path), hasIndex(path), readMode(path)]).toEqual([null, true, 0o600]);
      file.close();
    });
  }

  test("what a link leads to keeps its mode and its bytes, be it an index or a text", () => {
    const path = join(folder(), "runtime.recall.db");
    const target = join(folder(), "notes.md");
    writeFileSync(target, "mine\n");
    symlinkSync(target, path);
    for (const makeTarget of [() => undefined, () => use(indexAt(target))]) {
      makeTarget();
      chmodSync(target, 0o644);
      const bytes = readFileSync(target);
      const file = indexAt(path);
      expect(use(file)).toBeInstanceOf(IndexPathBlockedError);
      file.close();
      expect(readMode(target)).toBe(0o644);
      expect(readFileSync(target)).toEqual(bytes);
      writeFileSync(target, "");
    }
  });

  test("K6: no mode is changed through a link, not of a database nor of its companions", () => {
    const path = join(folder(), "runtime.db");
    const target = join(folder(), "target");
    writeFileSync(target, "");
    chmodSync(target, 0o644);
    for (const suffix of ["", "-wal", "-shm"]) symlinkSync(target, path + suffix);
    makePrivate(path);
    expect(readMode(target)).toBe(0o644);
  });
});
