import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog, type Fields, type FileLog, type LogLevel } from "../../src/log/log.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "session-runtime-log-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const logPath = () => join(root, "data", "runtime.log");
const limits = { bytes: 5 * 1_048_576, ageMs: 14 * 86_400_000 };
const open = (level: LogLevel): FileLog =>
  createLog({ path: logPath(), level, limits, now: () => 0 });

async function lines(): Promise<unknown[]> {
  const text = await readFile(logPath(), "utf8");
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

describe("the log", () => {
  test("a line is JSON with time, level, event and fields, in the order of the calls", async () => {
    const log = open("debug");
    log.info("epoch.started", { seq: 1, cause: "first", ok: true, anchor: null });
    log.error("storage.failed", { code: "locked" });
    await log.flush();
    const at = "1970-01-01T00:00:00.000Z";
    expect(await lines()).toEqual([
      { at, level: "info", event: "epoch.started", seq: 1, cause: "first", ok: true, anchor: null },
      { at, level: "error", event: "storage.failed", code: "locked" },
    ]);
  });

  test("what is less severe than the level is not written", async () => {
    const log = open("warn");
    log.debug("a", {});
    log.info("b", {});
    log.warn("c", {});
    log.error("d", {});
    await log.flush();
    expect(await lines()).toMatchObject([{ event: "c" }, { event: "d" }]);
  });

  test("fields don't override time, level and event", async () => {
    const log = open("info");
    log.info("real", { event: "forged", level: "debug", at: "never", __proto__: null });
    await log.flush();
    expect(await lines()).toEqual([
      { at: "1970-01-01T00:00:00.000Z", level: "info", event: "real" },
    ]);
  });

  test("K6: the file has mode 0600 and its folder 0700", async () => {
    const log = open("info");
    log.info("a", {});
    await log.flush();
    expect((await stat(logPath())).mode & 0o777).toBe(0o600);
    expect((await stat(join(root, "data"))).mode & 0o777).toBe(0o700);
  });

  test("a full file becomes .1, that one .2, and no more are kept", async () => {
    await mkdir(join(root, "data"));
    const log = open("info");
    for (const round of [1, 2, 3, 4]) {
      await writeFile(logPath(), `${round}${"x".repeat(5 * 1_048_576)}`);
      log.info("after", { round });
      await log.flush();
    }
    const names = (await readdir(join(root, "data"))).sort();
    expect(names).toEqual(["runtime.log", "runtime.log.1", "runtime.log.2"]);
    expect(await lines()).toMatchObject([{ round: 4 }]);
    expect((await readFile(`${logPath()}.1`, "utf8"))[0]).toBe("4");
    expect((await readFile(`${logPath()}.2`, "utf8"))[0]).toBe("3");
  });

  test("I15: a log that can't be written loses lines, says so in its health, and recovers", async () => {
    await writeFile(join(root, "data"), "a file where the folder should be");
    const log = open("info");
    log.info("lost", {});
    log.info("lost", {});
    await log.flush();
    expect(log.health()).toMatchObject({ lostLines: 2 });
    expect(log.health().failure).not.toBeNull();
    await rm(join(root, "data"));
    log.info("back", {});
    await log.flush();
    expect(await lines()).toMatchObject([{ event: "back" }]);
    expect(log.health()).toEqual({ path: logPath(), lostLines: 2, failure: null });
  });

  test("I15: a folder in the log's place is a failure, not an exception", async () => {
    await mkdir(logPath(), { recursive: true });
    const log = open("info");
    log.info("lost", {});
    await log.flush();
    expect(log.health()).toMatchObject({ lostLines: 1, failure: "not_a_file" });
  });

  test("I15: a throwing field costs its line, not its caller", async () => {
    const log = open("info");
    const trap = Object.defineProperty({}, "x", {
      enumerable: true,
      get() {
        throw new Error("trap");
      },
    }) as Fields;
    log.info("trapped", trap);
    log.info("next", {});
    await log.flush();
    expect(log.health().lostLines).toBe(1);
    expect(await lines()).toMatchObject([{ event: "next" }]);
  });

  test("I15: a line that fails is named by its error's code, where that is a text, else by its class", async () => {
    const failing = (thrown: unknown) => {
      const log = open("info");
      const fields = Object.defineProperty({}, "x", {
        enumerable: true,
        get() {
          throw thrown;
        },
      }) as Fields;
      log.info("trapped", fields);
      return log.health().failure;
    };
    expect(failing(Object.assign(new Error("x"), { code: "EPERM" }))).toBe("EPERM");
    expect(failing(Object.assign(new RangeError("x"), { code: 7 }))).toBe("RangeError");
    expect(failing(new TypeError("x"))).toBe("TypeError");
    expect(failing("x")).toBe("string");
  });

  test("a field without a value is left out, and one named __proto__ changes no line", async () => {
    const log = open("info");
    const forged = JSON.parse('{ "__proto__": { "x": 1 }, "kept": 1 }');
    log.info("real", { ...forged, gone: undefined as unknown as null });
    await log.flush();
    expect(await lines()).toEqual([
      { at: "1970-01-01T00:00:00.000Z", level: "info", event: "real", kept: 1 },
    ]);
  });

  test("what waits is bounded by a mebibyte: a burst beyond it is counted as lost", async () => {
    const log = open("info");
    for (let index = 0; index < 2_500; index++) log.info("burst", { text: "x y ".repeat(120) });
    const { lostLines } = log.health();
    await log.flush();
    const written = await lines();
    const lineChars = `${JSON.stringify(written[0])}\n`.length;
    expect(written.length).toBe(Math.floor(1_048_576 / lineChars));
    expect(written.length + lostLines).toBe(2_500);
    log.info("after", {});
    await log.flush();
    expect(await lines()).toHaveLength(written.length + 1);
  });
});
