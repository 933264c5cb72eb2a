import { expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { IndexFile } from "../../src/index/file.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import { folder } from "../rooms/recall/stage.ts";

const FORMER = {
  commits: "CREATE TABLE git_commit (id INTEGER PRIMARY KEY)",
  vectors: "CREATE TABLE vector (id INTEGER PRIMARY KEY)",
};

function opened(path: string): void {
  const notice = () => undefined;
  const file = new IndexFile({ path, openDriver: openBunDriver, notice, over: () => undefined });
  file.use(({ driver }) => driver.get("SELECT count(*) AS n FROM document"));
  file.close();
}

test("what the index has taken over goes with its log, once the index stands", () => {
  const place = folder();
  const left = Object.entries(FORMER).map(([name, sql]) => {
    const driver = openBunDriver(join(place, `runtime.${name}.db`));
    driver.get("PRAGMA journal_mode = WAL");
    driver.exec(sql);
    return driver;
  });
  expect(readdirSync(place)).toHaveLength(6);
  opened(join(place, "runtime.recall.db"));
  expect(readdirSync(place)).toEqual(["runtime.recall.db"]);
  for (const driver of left) driver.close();
});

test("one that was closed has no log, and goes alone", () => {
  const place = folder();
  for (const [name, sql] of Object.entries(FORMER)) {
    const driver = openBunDriver(join(place, `runtime.${name}.db`));
    driver.exec(sql);
    driver.close();
  }
  expect(readdirSync(place)).toHaveLength(2);
  opened(join(place, "runtime.recall.db"));
  expect(readdirSync(place)).toEqual(["runtime.recall.db"]);
});

test("a user's file, link or folder under such a name stays as it is", () => {
  const place = folder();
  const [commits, vectors] = ["commits", "vectors"].map((name) =>
    join(place, `runtime.${name}.db`),
  );
  const own = openBunDriver(`${commits}`);
  own.exec("CREATE TABLE bird (name TEXT)");
  own.close();
  const target = join(place, "target.db");
  const linked = openBunDriver(target);
  linked.exec(FORMER.vectors);
  linked.close();
  symlinkSync(target, `${vectors}`);
  const before = readFileSync(`${commits}`);
  opened(join(place, "runtime.recall.db"));
  expect(readFileSync(`${commits}`)).toEqual(before);
  expect([existsSync(`${vectors}`), existsSync(target)]).toEqual([true, true]);
  const other = folder();
  mkdirSync(join(other, "runtime.vectors.db"));
  writeFileSync(join(other, "runtime.commits.db"), "");
  opened(join(other, "runtime.recall.db"));
  expect(readdirSync(other)).toHaveLength(3);
});

test("an index of another name has no former files", () => {
  const place = folder();
  opened(join(place, "index.db"));
  opened(join(place, "index.db"));
  expect(readdirSync(place)).toEqual(["index.db"]);
});
