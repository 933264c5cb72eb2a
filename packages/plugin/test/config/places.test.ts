import { describe, expect, test } from "bun:test";
import {
  listConfigCandidates,
  resolveLogPath,
  resolveOwnConfigFile,
  resolveSharedFolders,
  resolveStoragePath,
} from "../../src/config/places.ts";
import { resolveConfig } from "../whole-config.ts";

const home = "/home/ada";
const paths = (
  directory: string,
  worktree: string,
  env: Readonly<Record<string, string | undefined>>,
) =>
  listConfigCandidates(
    { directory, worktree },
    { env, home, folders: resolveSharedFolders({ env, home }) },
  ).map((candidate) => candidate.path);

describe("where configuration is looked for", () => {
  test("the global folder, then the worktree down to the directory, .opencode over each folder", () => {
    expect(paths("/work/app/web", "/work/app", {})).toEqual([
      "/home/ada/.config/opencode/session-runtime.json",
      "/home/ada/.config/opencode/session-runtime.jsonc",
      "/work/app/session-runtime.json",
      "/work/app/session-runtime.jsonc",
      "/work/app/.opencode/session-runtime.json",
      "/work/app/.opencode/session-runtime.jsonc",
      "/work/app/web/session-runtime.json",
      "/work/app/web/session-runtime.jsonc",
      "/work/app/web/.opencode/session-runtime.json",
      "/work/app/web/.opencode/session-runtime.jsonc",
    ]);
  });

  test("a host with folders of its own has them over the shared ones, the user's and the project's", () => {
    const shared = resolveSharedFolders({ env: {}, home });
    const folders = {
      user: [...shared.user, "/home/ada/own"],
      inProject: [...shared.inProject, ".own"],
    };
    const around = { env: {}, home, folders };
    const found = listConfigCandidates({ directory: "/work", worktree: "/work" }, around);
    const named = found.filter(({ path }) => path.endsWith(".jsonc"));
    expect(named.map(({ path, scope }) => [scope, path.slice(0, path.lastIndexOf("/"))])).toEqual([
      ["user", "/home/ada/.config/opencode"],
      ["user", "/home/ada/own"],
      ["project", "/work"],
      ["project", "/work/.opencode"],
      ["project", "/work/.own"],
    ]);
    expect(resolveOwnConfigFile(around)).toBe("/home/ada/own/session-runtime.jsonc");
    const inOwn = listConfigCandidates(
      { directory: "/home/ada/own", worktree: "/home/ada/own" },
      around,
    );
    expect(inOwn.filter(({ path }) => path === "/home/ada/own/session-runtime.json")).toMatchObject(
      [{ scope: "user" }],
    );
  });

  test("XDG_CONFIG_HOME moves the global folder; OPENCODE_CONFIG_DIR comes last", () => {
    const found = paths("/work", "/work", {
      XDG_CONFIG_HOME: "/cfg",
      OPENCODE_CONFIG_DIR: "/extra",
    });
    expect(found[0]).toBe("/cfg/opencode/session-runtime.json");
    expect(found.slice(-2)).toEqual([
      "/extra/session-runtime.json",
      "/extra/session-runtime.jsonc",
    ]);
  });

  test("no file is named twice", () => {
    const found = paths("/work", "/work", { OPENCODE_CONFIG_DIR: "/work/.opencode" });
    expect(new Set(found).size).toBe(found.length);
    const global = paths("/work", "/work", { OPENCODE_CONFIG_DIR: "/home/ada/.config/opencode" });
    expect(new Set(global).size).toBe(global.length);
  });

  test("OPENCODE_DISABLE_PROJECT_CONFIG leaves the project out", () => {
    expect(paths("/work", "/work", { OPENCODE_DISABLE_PROJECT_CONFIG: "1" })).toHaveLength(2);
    expect(paths("/work", "/work", { OPENCODE_DISABLE_PROJECT_CONFIG: "0" })).toHaveLength(6);
  });

  test("a directory outside the worktree is looked into alone; the root ends the way up", () => {
    expect(paths("/tmp/x", "/work", {})).toHaveLength(6);
    expect(paths("/", "/work", {})).toHaveLength(6);
    expect(paths("/a/b", "/", {})).toHaveLength(14);
    expect(paths("/work/..data", "/work", {})).toHaveLength(10);
  });

  test("the database is storage's to place and the log lies beside it, unless the user says", () => {
    const { config } = resolveConfig([]);
    expect(resolveStoragePath(config, home)).toBeNull();
    expect(resolveLogPath(config, home, "/data/session-runtime/runtime.db")).toBe(
      "/data/session-runtime/runtime.log",
    );
    const own = resolveConfig([
      {
        file: "f",
        scope: "user",
        findLine: () => null,
        value: { storage: { path: "~/x.db" }, log: { path: "/l" } },
      },
    ]).config;
    expect(resolveStoragePath(own, home)).toBe("/home/ada/x.db");
    expect(resolveLogPath(own, home, "/home/ada/x.db")).toBe("/l");
  });
});
