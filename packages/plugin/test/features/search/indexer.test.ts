import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HostMessage } from "../../../src/ledger/message.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import type { SessionId } from "../../../src/storage/records.ts";
import { answers, folder, makeStage, onlyPart, quotes, ran, SES, says } from "./stage.ts";

type Stage = ReturnType<typeof makeStage>;

async function found(
  { recall }: Stage,
  query: string,
  sessionId = SES,
): Promise<readonly string[]> {
  return quotes(await recall.search(sessionId, query, "session"));
}

/** The same message, its only part with another text under the same id. */
function rewritten(message: HostMessage, text: string): HostMessage {
  return { ...message, parts: [{ ...onlyPart(message), type: "text", text } as never] };
}

function named(id: string, message: HostMessage): HostMessage {
  const parts = message.parts.map((part) => ({ ...part, id: `${id}#0`, messageID: id }));
  return { info: { ...message.info, id }, parts };
}

describe("the index follows the history", () => {
  test("R1, I26: nothing is indexed on the way to a send, and all of it after", async () => {
    const stage = makeStage();
    stage.hear(SES, { host: [says("a heron")], sent: [] });
    expect(existsSync(stage.path)).toBe(false);
    expect(stage.index()).toBe(1);
    expect(await found(stage, "heron")).toEqual(["a heron"]);
  });

  test("what is indexed is not written again, in this process or another", () => {
    const first = makeStage();
    const history = [says("a heron"), ran("bash", { command: "ls" }, "file.txt")];
    first.add(history);
    const size = () =>
      first.file.use(({ driver }) => driver.get("SELECT max(id) AS id FROM document"));
    const before = size();
    first.add([...history]);
    makeStage({ path: first.path }).add(history);
    expect(size()).toEqual(before);
  });

  test("of a session that is deleted no word is left in the folder, the write-ahead log neither", () => {
    const stage = makeStage();
    const other = "ses_2" as SessionId;
    stage.add([says("a heron"), ran("bash", { command: "find flummoxite" }, "flummoxite.txt")]);
    stage.add([says("a bittern")], other);
    const storeFolder = join(stage.path, "..");
    const holding = () =>
      readdirSync(storeFolder).filter((name) =>
        readFileSync(join(storeFolder, name)).includes("mmoxit"),
      );
    expect(holding()).not.toEqual([]);
    stage.histories.forget(SES);
    stage.index();
    expect(holding()).toEqual([]);
  });

  test("what changed under its id is found by its new words only", async () => {
    const stage = makeStage();
    const message = says("a heron");
    stage.add([message]);
    stage.add([rewritten(message, "a bittern instead")]);
    expect(await found(stage, "heron")).toEqual([]);
    expect(await found(stage, "bittern")).toEqual(["a bittern instead"]);
  });

  test("R2: what was undone leaves it, and what was only compacted stays", async () => {
    const stage = makeStage();
    const [old, first, second, third] = [
      says("old owl"),
      says("owl 1"),
      says("owl 2"),
      says("owl 3"),
    ];
    stage.add([old, first, second, third]);
    stage.add([first, third]);
    expect((await found(stage, "owl")).toSorted()).toEqual(["old owl", "owl 1", "owl 3"]);
    stage.add([first, second, third]);
    expect(await found(stage, "owl 2")).toContain("owl 2");
  });

  test("R2: the same where ids don't rise with time, as on Pi", async () => {
    const stage = makeStage();
    const [compacted, kept, undone, newest] = [
      ["f1a2", "old owl", 4],
      ["8c3d", "owl 1", 3],
      ["0b5e", "owl 2", 2],
      ["d907", "owl 3", 1],
    ].map(([id, text, agoMs]) => named(String(id), says(String(text), Number(agoMs) * 1_000)));
    if (!compacted || !kept || !undone || !newest) throw new Error("there are four");
    stage.add([compacted, kept, undone, newest]);
    stage.add([kept, newest]);
    expect((await found(stage, "owl")).toSorted()).toEqual(["old owl", "owl 1", "owl 3"]);
    makeStage({ path: stage.path }).add([newest]);
    expect(await found(stage, "owl")).toHaveLength(3);
  });

  test("R2: a part that its message lost leaves it, of the oldest message, too", async () => {
    const stage = makeStage();
    const [message, other] = [says("owl 1"), says("owl 2")];
    const both = { ...message, parts: [...message.parts, ...other.parts] };
    stage.add([both]);
    stage.add([message]);
    expect(await found(stage, "owl")).toEqual(["owl 1"]);
  });

  test("the newest messages of a session at rest join it, and undo nothing", async () => {
    const stage = makeStage();
    stage.add([says("question of the owl")]);
    stage.histories.indexSettled(SES, [answers("answer of the owl")]);
    stage.index();
    expect(await found(stage, "owl")).toHaveLength(2);
  });

  test("R2: a session that was deleted leaves no word in it", async () => {
    const stage = makeStage();
    stage.add([
      says("a heron, 数字, é\ud800\0x"),
      ran("bash", { command: "ls" }, "one\ntwo".repeat(2_000)),
    ]);
    stage.histories.forget(SES);
    stage.file.use(({ driver }) => {
      for (const name of ["words", "pieces"]) {
        driver.exec(`CREATE VIRTUAL TABLE temp.${name}_left USING fts5vocab(main, ${name}, row)`);
        expect(driver.all(`SELECT term FROM temp.${name}_left`)).toEqual([]);
      }
      expect(driver.get("SELECT count(*) AS left FROM passage")?.left).toBe(0);
    });
    expect(await found(stage, "heron")).toEqual([]);
  });
});

describe("indexing is done in slices", () => {
  test("R1: a part of 10 MB takes many short ones, and its last line is found", async () => {
    const stage = makeStage();
    const lines = Array.from(
      { length: 100_000 },
      (_, n) => `row ${n}: ${"filler words here ".repeat(5)}`,
    );
    const text = [...lines, "the last line names the osprey"].join("\n");
    stage.hear(SES, { host: [ran("mcp_dump", {}, text)], sent: [] });
    let count = 0;
    for (let work = stage.slices.shift(); work; work = stage.slices.shift()) {
      work();
      count += 1;
    }
    expect(count).toBeGreaterThan(20);
    expect(await found(stage, "osprey")).toContain("the last line names the osprey");
    expect(await found(stage, "row 77777")).toContain(lines[77_777] ?? "");
  }, 600_000);

  test("a part that was half indexed by a process that ended is indexed again", async () => {
    const first = makeStage();
    const message = ran(
      "bash",
      {},
      Array.from({ length: 20_000 }, (_, n) => `egret ${n}`).join("\n"),
    );
    first.hear(SES, { host: [message], sent: [] });
    first.slices.shift()?.();
    first.file.close();
    const second = makeStage({ path: first.path });
    second.add([message]);
    expect(await found(second, "egret 19999")).toContain("egret 19999");
    const left = second.file.use(
      ({ driver }) => driver.get("SELECT count(*) AS n FROM document")?.n,
    );
    expect(left).toBe(1);
  });

  test("however many histories wait, one slice is due", () => {
    const stage = makeStage();
    stage.hear(SES, { host: [says("a heron")], sent: [] });
    stage.histories.indexSettled(SES, [says("a bittern")]);
    expect(stage.slices).toHaveLength(1);
    expect(stage.index()).toBe(1);
  });

  test("a part on its way starts over when the file is another one", async () => {
    const stage = makeStage();
    const rows = Array.from({ length: 20_000 }, (_, n) => `egret ${n}`);
    stage.hear(SES, { host: [says("a heron"), ran("bash", {}, rows.join("\n"))], sent: [] });
    stage.slices.shift()?.();
    rmSync(stage.path);
    stage.index();
    for (const query of ["heron", "egret 1", "egret 19999"]) {
      expect(await found(stage, query)).not.toEqual([]);
    }
  });

  test("a look-up in the meantime says that the index isn't whole", async () => {
    const stage = makeStage();
    stage.hear(SES, { host: [says("a heron")], sent: [] });
    expect(await stage.recall.search(SES, "heron", "session")).toContain("still being indexed");
  });
});

describe("the index's file is derived", () => {
  const history = [says("a heron")];

  test("deleted while it is open: it is begun again, and holds what is sent next", async () => {
    const stage = makeStage();
    stage.add(history);
    rmSync(stage.path);
    expect(await found(stage, "heron")).toEqual([]);
    stage.add([...history]);
    expect(await found(stage, "heron")).toEqual(["a heron"]);
    expect(stage.begunAgain).toEqual([]);
  });

  test("R3: damaged: it is emptied, that is said, and it holds what is sent next", async () => {
    const stage = makeStage();
    writeFileSync(stage.path, "no database, but long enough to look at ".repeat(100));
    stage.add(history);
    expect(await found(stage, "heron")).toEqual(["a heron"]);
    expect(stage.begunAgain).toHaveLength(1);
    expect(stage.failures).toEqual([]);
  });

  test("damaged in use: the look-up answers, and it holds what is sent next", async () => {
    const stage = makeStage();
    stage.add(history);
    stage.file.use(({ driver }) => driver.exec("DROP TABLE words"));
    expect(await found(stage, "heron")).toEqual([]);
    expect(stage.begunAgain).toHaveLength(1);
    stage.add([...history]);
    expect(await found(stage, "heron")).toEqual(["a heron"]);
  });

  test("of another version: it is begun again", async () => {
    const stage = makeStage();
    stage.add(history);
    stage.file.use(({ driver }) => driver.exec("PRAGMA user_version = 99"));
    const next = makeStage({ path: stage.path });
    next.add(history);
    expect(await found(next, "heron")).toEqual(["a heron"]);
  });

  test("locked: that is reported, look-ups go on, and the next history is indexed", async () => {
    const stage = makeStage();
    stage.add(history);
    const other = openBunDriver(stage.path);
    other.exec("BEGIN IMMEDIATE");
    stage.add([...history, says("a bittern")]);
    expect(stage.failures.map(String)).toEqual([expect.stringContaining("locked")]);
    expect(await found(stage, "heron")).toEqual(["a heron"]);
    other.exec("ROLLBACK");
    other.close();
    stage.add([...history, says("a bittern")]);
    expect(await found(stage, "bittern")).toEqual(["a bittern"]);
  });

  test("two processes index different sessions at once", async () => {
    const one = makeStage();
    const two = makeStage({ path: one.path });
    const other = "ses_2" as SessionId;
    const many = (word: string) => Array.from({ length: 300 }, (_, n) => says(`${word} ${n}`));
    one.hear(SES, { host: many("heron"), sent: [] });
    two.hear(other, { host: many("bittern"), sent: [] });
    while (one.slices.length + two.slices.length > 0) {
      one.slices.shift()?.();
      two.slices.shift()?.();
    }
    expect(await found(one, "heron 299")).toContain("heron 299");
    expect(await found(two, "bittern 299", other)).toContain("bittern 299");
  });

  test("it is private", () => {
    const stage = makeStage({ path: join(folder(), "deep", "runtime.recall.db") });
    stage.add(history);
    expect(statSync(stage.path).mode & 0o777).toBe(0o600);
  });
});
