import { expect, test } from "bun:test";
import { loadRuntimeDriver } from "../../src/storage/connect.ts";
import { createTransactionScopes, type Driver, type SqlValue } from "../../src/storage/driver.ts";
import { toStorageError } from "../../src/storage/errors.ts";
import { describeOnEachDriver } from "./drivers.ts";
import { Workspace } from "./workspace.ts";

const workspace = new Workspace();

test("the runtime's own driver is found at run time", async () => {
  const driver = (await loadRuntimeDriver())(workspace.path());
  expect(driver.name).toBe("bun:sqlite");
  driver.close();
});

test("a rollback that fails itself is what is thrown, unless SQLite has rolled back already", () => {
  const scopes = (words: string) =>
    createTransactionScopes((sql) => {
      if (sql.startsWith("ROLLBACK")) throw new Error(words);
    });
  const body = () => {
    throw new Error("of the body");
  };
  for (const passed of [
    "cannot rollback - no transaction is active",
    "no such savepoint: nested_1",
  ])
    expect(() => scopes(passed).transaction(body)).toThrow("of the body");
  expect(() => scopes("disk I/O error").transaction(body)).toThrow("disk I/O error");
});

describeOnEachDriver("driver conformance", (openDriver) => {
  const counted = "SELECT count(*) AS n FROM thing";
  const insert = "INSERT INTO thing (word) VALUES (?)";

  function withThings(body: (driver: Driver, second: Driver) => void): void {
    const path = workspace.path();
    const driver = openDriver(path);
    driver.exec("PRAGMA journal_mode = WAL");
    driver.exec(
      "CREATE TABLE thing (id INTEGER PRIMARY KEY, word TEXT, size INTEGER, raw BLOB) STRICT",
    );
    const second = openDriver(path);
    body(driver, second);
    second.close();
    driver.close();
  }

  const values: readonly (readonly [string, string, SqlValue])[] = [
    ["a text", "word", "plain"],
    ["an empty text", "word", ""],
    ["a text of emoji, quotes, CRLF and NUL", "word", "😀 'it''s'\r\n\0end"],
    ["a text of a megabyte", "word", "ä".repeat(1 << 19)],
    ["zero", "size", 0],
    ["a negative integer", "size", -7],
    ["an integer beyond 32 bits", "size", 2 ** 40 + 1],
    ["the largest safe integer", "size", Number.MAX_SAFE_INTEGER],
    ["the smallest safe integer", "size", Number.MIN_SAFE_INTEGER],
    ["a blob", "raw", new Uint8Array([0, 1, 255])],
    ["an empty blob", "raw", new Uint8Array([])],
    ["null as text", "word", null],
    ["null as blob", "raw", null],
  ];
  for (const [title, column, value] of values) {
    test(`gives back ${title} as it was bound`, () => {
      withThings((driver) => {
        driver.run(`INSERT INTO thing (${column}) VALUES (?)`, value);
        const found = driver.get(`SELECT ${column} AS found FROM thing`)?.found;
        expect(value instanceof Uint8Array ? new Uint8Array(found as Uint8Array) : found).toEqual(
          value,
        );
      });
    });
  }

  test("binds by position", () => {
    withThings((driver) => {
      driver.run("INSERT INTO thing (size, word) VALUES (?, ?)", 3, "three");
      expect({
        ...driver.get("SELECT word, size FROM thing WHERE size = ? AND word = ?", 3, "three"),
      }).toEqual({
        word: "three",
        size: 3,
      });
    });
  });

  test("get gives null for no row, all an empty list", () => {
    withThings((driver) => {
      driver.run("INSERT INTO thing (word) VALUES (?), (?)", "b", "a");
      expect(driver.get("SELECT id FROM thing WHERE word = ?", "x")).toBeNull();
      expect(driver.all("SELECT id FROM thing WHERE word = ?", "x")).toEqual([]);
      const rows = driver.all("SELECT word FROM thing ORDER BY word");
      expect(rows.map((row) => row.word)).toEqual(["a", "b"]);
    });
  });

  test("RETURNING tells what a statement changed, by get and by all", () => {
    withThings((driver) => {
      driver.run("INSERT INTO thing (word) VALUES ('a'), ('a'), ('b')");
      const change = "UPDATE thing SET size = 1 WHERE word = ? RETURNING id";
      expect(driver.get(change, "x")).toBeNull();
      expect(driver.get(change, "b")?.id).toBe(3);
      expect(driver.all(change, "a").map((row) => row.id)).toEqual([1, 2]);
      expect(driver.get("SELECT count(*) AS n FROM thing WHERE size = 1")?.n).toBe(3);
    });
  });

  test("exec runs several statements", () => {
    withThings((driver) => {
      driver.exec("INSERT INTO thing (word) VALUES ('a'); INSERT INTO thing (word) VALUES ('b')");
      expect(driver.get(counted)?.n).toBe(2);
    });
  });

  test("STRICT tables refuse a value of another type", () => {
    withThings((driver) => {
      expect(() => driver.run("INSERT INTO thing (size) VALUES (?)", "many")).toThrow(
        /cannot store TEXT/,
      );
    });
  });

  test("a prepared statement that names its columns goes on after a schema change, its own or another's", () => {
    withThings((driver, second) => {
      const select = "SELECT word, size FROM thing WHERE word = ?";
      driver.run(insert, "old");
      expect({ ...driver.get(select, "old") }).toEqual({ word: "old", size: null });
      driver.exec("ALTER TABLE thing ADD COLUMN note TEXT DEFAULT 'n'");
      expect({ ...driver.get(select, "old") }).toEqual({ word: "old", size: null });
      second.exec("ALTER TABLE thing DROP COLUMN note; CREATE INDEX by_word ON thing (word)");
      driver.run(insert, "new");
      expect({ ...driver.get(select, "new") }).toEqual({ word: "new", size: null });
    });
  });

  test("a transaction gives the result of its body", () => {
    withThings((driver) => expect(driver.transaction(() => 7)).toBe(7));
  });

  test("a transaction whose body throws leaves nothing, and the connection usable", () => {
    withThings((driver) => {
      const failing = () =>
        driver.transaction(() => {
          driver.run(insert, "a");
          throw new Error("no");
        });
      expect(failing).toThrow("no");
      expect(driver.get(counted)?.n).toBe(0);
      driver.transaction(() => driver.run(insert, "b"));
      expect(driver.get(counted)?.n).toBe(1);
    });
  });

  test("a nested transaction rolls back alone when its error is caught inside", () => {
    withThings((driver) => {
      driver.transaction(() => {
        driver.run(insert, "outer");
        const inner = () =>
          driver.transaction(() => {
            driver.run(insert, "inner");
            driver.transaction(() => driver.run(insert, "innermost"));
            throw new Error("no");
          });
        expect(inner).toThrow("no");
        driver.transaction(() => driver.run(insert, "second"));
      });
      expect(driver.all("SELECT word FROM thing ORDER BY id").map((row) => row.word)).toEqual([
        "outer",
        "second",
      ]);
    });
  });

  test("a nested transaction is gone with the outer one", () => {
    withThings((driver) => {
      const failing = () =>
        driver.transaction(() => {
          driver.transaction(() => driver.run(insert, "inner"));
          throw new Error("no");
        });
      expect(failing).toThrow("no");
      expect(driver.get(counted)?.n).toBe(0);
    });
  });

  test("a transaction takes the write lock at its begin", () => {
    withThings((driver, second) => {
      second.exec("PRAGMA busy_timeout = 0");
      driver.transaction(() => {
        expect(() => second.run(insert, "other")).toThrow(/locked/);
      });
      second.run(insert, "other");
      expect(driver.get(counted)?.n).toBe(1);
    });
  });

  test("a read sees one state, whatever others commit, and takes no write lock", () => {
    withThings((driver, second) => {
      driver.read(() => {
        expect(driver.get(counted)?.n).toBe(0);
        second.run(insert, "other");
        expect(driver.get(counted)?.n).toBe(0);
      });
      expect(driver.get(counted)?.n).toBe(1);
    });
  });

  test("a read inside a transaction sees the transaction's own rows", () => {
    withThings((driver) => {
      const seen = driver.transaction(() => {
        driver.run(insert, "a");
        return driver.read(() => driver.get(counted)?.n);
      });
      expect(seen).toBe(1);
    });
  });

  test("a full disk inside a transaction tells the full disk, though SQLite has rolled back by itself", () => {
    withThings((driver) => {
      driver.exec("PRAGMA max_page_count = 3");
      const filling = () => driver.transaction(() => driver.run(insert, "x".repeat(100_000)));
      expect(filling).toThrow(/full/);
      driver.transaction(() => driver.run(insert, "x"));
      expect(driver.get(counted)?.n).toBe(1);
    });
  });

  test("close ends the connection: no companion file is left, a later call throws", () => {
    const path = workspace.path();
    const driver = openDriver(path);
    driver.exec("PRAGMA journal_mode = WAL; CREATE TABLE thing (word TEXT) STRICT");
    driver.run(insert, "a");
    expect(driver.get(counted)?.n).toBe(1);
    driver.close();
    expect(Array.from(new Bun.Glob("*").scanSync(path.replace("/runtime.db", "")))).toEqual([
      "runtime.db",
    ]);
    expect(() => driver.get(counted)).toThrow();
  });

  test("errors get their code", () => {
    withThings((driver, second) => {
      const catchErrorCode = (body: () => unknown) => {
        try {
          body();
        } catch (error) {
          return toStorageError(error, "/db").code;
        }
        return null;
      };
      second.exec("PRAGMA busy_timeout = 0");
      driver.transaction(() => {
        expect(catchErrorCode(() => second.transaction(() => undefined))).toBe("locked");
      });
      second.exec("PRAGMA query_only = ON");
      expect(catchErrorCode(() => second.run(insert, "a"))).toBe("read_only");
      driver.exec("PRAGMA max_page_count = 3");
      expect(catchErrorCode(() => driver.run(insert, "x".repeat(100_000)))).toBe("full");
      expect(catchErrorCode(() => driver.run("INSERT INTO thing (id) VALUES (1), (1)"))).toBe(
        "failed",
      );
      expect(catchErrorCode(() => driver.get("SELECT nonsense"))).toBe("failed");
      expect(
        catchErrorCode(() => openDriver("/no/such/folder/x.db").exec("PRAGMA user_version")),
      ).toBe("unopenable");
    });
  });
});
