import { describe, expect, test } from "bun:test";
import type { Driver } from "../../src/storage/driver.ts";
import {
  renderAdvice,
  StorageError,
  toStorageError,
  withStorageErrors,
} from "../../src/storage/errors.ts";
import { sqliteError } from "./faults.ts";
import { catchStorageError } from "./workspace.ts";

const PATH = "/data/runtime.db";
const told = (error: unknown) => toStorageError(error, PATH);
const with_ = (error: Error, fields: object) => Object.assign(error, fields);
const sqlite = (errno: unknown) =>
  with_(new Error("in its own words"), { name: "SQLiteError", errno });
const node = (errcode: unknown) => with_(new Error("in its own words"), { errcode });
const system = (code: string) => with_(new Error("no such thing"), { code, syscall: "open" });

describe("an error's code", () => {
  const byResult = [
    [5, "locked"],
    [6, "locked"],
    [8, "read_only"],
    [11, "corrupt"],
    [13, "full"],
    [14, "unopenable"],
    [26, "corrupt"],
    [1, "failed"],
    // Extended codes.
    [517, "locked"],
    [1032, "read_only"],
    [267, "corrupt"],
  ] as const;
  test.each(byResult)("of SQLite's result %d is %s, on either runtime", (result, code) => {
    expect(told(sqlite(result)).code).toBe(code);
    expect(told(node(result)).code).toBe(code);
  });

  const bySystem = [
    ["EACCES", "read_only"],
    ["EPERM", "read_only"],
    ["EROFS", "read_only"],
    ["ENOSPC", "full"],
    ["EDQUOT", "full"],
    ["EISDIR", "unopenable"],
    ["ENOTDIR", "unopenable"],
    ["EEXIST", "unopenable"],
    ["ENOENT", "unopenable"],
    ["EMFILE", "failed"],
  ] as const;
  test.each(bySystem)("of the file system's %s is %s", (name, code) => {
    expect(told(system(name)).code).toBe(code);
  });

  test("of anything else is `failed`: a number that is no result, another error's, no error", () => {
    for (const error of [sqlite("5"), node("5"), with_(new Error("x"), { errno: 5 }), "x", null]) {
      expect(told(error).code).toBe("failed");
    }
  });

  test("stays where it has one", () => {
    const known = new StorageError("gone", "gone");
    expect(told(known)).toBe(known);
  });
});

describe("what an error says", () => {
  test("is SQLite's and the file system's own words; of any other its name and code alone", () => {
    expect(told(sqlite(1)).message).toContain("(in its own words)");
    expect(told(node(1)).message).toContain("(in its own words)");
    expect(told(system("EISDIR")).message).toContain("(no such thing)");
    expect(told(new TypeError("with a secret")).message).toContain("(TypeError)");
    expect(told(with_(new Error("with a secret"), { code: "ERR_X" })).message).toContain(
      "(Error ERR_X)",
    );
    expect(told("with a secret").message).toContain("(string)");
    expect(told(sqlite(1)).cause).toBeInstanceOf(Error);
  });
});

describe("what to do", () => {
  const byCode = [
    ["locked", "close other processes that use it"],
    ["read_only", "Make the file and its folder writable"],
    ["full", "Free some space"],
    ["corrupt", "Restart: the file is then checked"],
    ["newer_schema", "Update the plugin"],
    ["older_schema", "Start a session with Session Runtime once"],
    ["unopenable", "Check the path"],
    ["gone", "Put it back"],
    ["failed", "Nothing of it was written"],
  ] as const;
  test.each(byCode)("where it is %s: %s", (code, what) => {
    const said = renderAdvice(code, PATH, "in its own words");
    expect(said).toStartWith(`The Session Runtime database ${PATH} `);
    for (const [other, hint] of byCode) expect(said.includes(hint)).toBe(other === code);
    expect(said).toContain(what);
  });
});

describe("a driver's errors", () => {
  function driver(error: unknown): Driver {
    const fail = () => {
      throw error;
    };
    const name = "bun:sqlite" as const;
    return {
      name,
      exec: fail,
      run: fail,
      get: fail,
      all: fail,
      erase: fail,
      read: fail,
      transaction: fail,
      close: fail,
    };
  }
  const uses = (guarded: Driver) => [
    () => guarded.exec(""),
    () => guarded.run(""),
    () => guarded.get(""),
    () => guarded.all(""),
    () => guarded.erase(""),
    () => guarded.read(() => 1),
    () => guarded.transaction(() => 1),
    () => guarded.close(),
  ];

  test("are told whichever call they are of; damage is heard of, once each", () => {
    let heard = 0;
    const guarded = withStorageErrors(driver(sqliteError("SQLITE_CORRUPT")), PATH, () => {
      heard += 1;
    });
    for (const use of uses(guarded)) expect(catchStorageError(use).code).toBe("corrupt");
    expect(heard).toBe(8);
    const locked = withStorageErrors(driver(sqliteError("SQLITE_BUSY")), PATH, () => {
      heard += 1;
    });
    for (const use of uses(locked)) expect(catchStorageError(use).code).toBe("locked");
    expect(heard).toBe(8);
  });

  test("that are known already are no new damage", () => {
    let heard = 0;
    const known = new StorageError("corrupt", "a row");
    const guarded = withStorageErrors(driver(known), PATH, () => {
      heard += 1;
    });
    expect(catchStorageError(() => guarded.exec(""))).toBe(known);
    expect(heard).toBe(0);
  });

  test("of damage that can't be noted have both in them", () => {
    const cause = new Error("read-only");
    const guarded = withStorageErrors(driver(sqliteError("SQLITE_CORRUPT")), PATH, () => {
      throw cause;
    });
    const error = catchStorageError(() => guarded.exec(""));
    expect(error.code).toBe("corrupt");
    expect((error.cause as AggregateError).errors[1]).toBe(cause);
  });
});
