import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import {
  guardRealData,
  type PathEnvironment,
  resolveDatabasePath,
} from "../../src/storage/location.ts";
import { catchStorageError, Workspace } from "./workspace.ts";

const workspace = new Workspace();

function surroundings(
  variables: PathEnvironment["variables"],
  platform: NodeJS.Platform = "linux",
): PathEnvironment {
  return { platform, homeDirectory: "/home/ada", temporaryDirectory: tmpdir(), variables };
}

describe("the database's path", () => {
  const cases: readonly (readonly [string, PathEnvironment, string])[] = [
    [
      "is under ~/.local/share",
      surroundings({}),
      "/home/ada/.local/share/session-runtime/runtime.db",
    ],
    [
      "follows XDG_DATA_HOME",
      surroundings({ XDG_DATA_HOME: "/data" }),
      "/data/session-runtime/runtime.db",
    ],
    [
      "ignores an XDG_DATA_HOME that is relative or empty",
      surroundings({ XDG_DATA_HOME: "data" }),
      "/home/ada/.local/share/session-runtime/runtime.db",
    ],
    [
      "is under LOCALAPPDATA on Windows",
      surroundings({ LOCALAPPDATA: "/local" }, "win32"),
      "/local/session-runtime/runtime.db",
    ],
    [
      "is under the home folder on a Windows without LOCALAPPDATA",
      surroundings({}, "win32"),
      "/home/ada/AppData/Local/session-runtime/runtime.db",
    ],
    [
      "is what SESSION_RUNTIME_DB says",
      surroundings({ SESSION_RUNTIME_DB: "/else/my.db", XDG_DATA_HOME: "/data" }),
      "/else/my.db",
    ],
    [
      "is absolute where SESSION_RUNTIME_DB is relative",
      surroundings({ SESSION_RUNTIME_DB: "my.db" }),
      resolve("my.db"),
    ],
    [
      "ignores an empty SESSION_RUNTIME_DB",
      surroundings({ SESSION_RUNTIME_DB: "", XDG_DATA_HOME: "/data" }),
      "/data/session-runtime/runtime.db",
    ],
  ];
  for (const [title, given, expected] of cases) {
    test(title, () => expect(resolveDatabasePath(given)).toBe(expected));
  }
});

describe("the guard of real data", () => {
  const inTest = surroundings({ NODE_ENV: "test" });

  test("K5: the opener itself refuses a real data folder in a test", () => {
    const path = join(homedir(), ".local", "share", "session-runtime-guard", "runtime.db");
    const error = catchStorageError(() => workspace.open(path));
    expect(error.code).toBe("unopenable");
    expect(error.message).toContain("this is a test");
  });

  test("K5: it stands by NODE_ENV=test and by SESSION_RUNTIME_TEST=1, and not otherwise", () => {
    const guard = (variables: PathEnvironment["variables"]) => () =>
      guardRealData("/home/ada/runtime.db", surroundings(variables));
    catchStorageError(guard({ NODE_ENV: "test" }));
    catchStorageError(guard({ SESSION_RUNTIME_TEST: "1" }));
    guard({})();
    guard({ NODE_ENV: "production", SESSION_RUNTIME_TEST: "0" })();
  });

  test("K5: it lets pass what is under the temporary directory, there or not yet", () => {
    guardRealData(join(workspace.folder(), "a", "b", "runtime.db"), inTest);
  });

  test("K5: it sees through `..` and through links", () => {
    const folder = workspace.folder();
    const real = join(folder, "real");
    const pretended = { ...inTest, temporaryDirectory: join(folder, "tmp") };
    mkdirSync(real);
    mkdirSync(pretended.temporaryDirectory);
    symlinkSync(real, join(folder, "tmp", "link"));
    guardRealData(join(folder, "tmp", "runtime.db"), pretended);
    catchStorageError(() => guardRealData(join(folder, "tmp", "link", "runtime.db"), pretended));
    catchStorageError(() => guardRealData(join(folder, "tmp", "..", "runtime.db"), pretended));
    catchStorageError(() => guardRealData(join(folder, "tmpfoo", "runtime.db"), pretended));
    catchStorageError(() => guardRealData(join(folder, "tmp"), pretended));
  });

  test("K5: a path that can't be followed is no path under the temporary directory", () => {
    const loop = join(workspace.folder(), "loop");
    symlinkSync(loop, loop);
    expect(() => guardRealData(join(loop, "runtime.db"), inTest)).toThrow("ELOOP");
  });
});
