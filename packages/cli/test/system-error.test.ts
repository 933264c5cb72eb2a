import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemRefusal } from "../src/system-error.ts";
import { runCli } from "./command-line.ts";
import { processFolder } from "./process-folder.ts";
import { makeHome } from "./throwaway-home.ts";

function catchRefusal(act: () => void) {
  try {
    act();
  } catch (error) {
    return systemRefusal(error);
  }
  throw new Error("The system has refused nothing.");
}

describe("what the system refuses is said in words", () => {
  test("a file that is not there, a file that is a folder, a folder that is a file", () => {
    const folder = mkdtempSync(join(processFolder(), "refused-"));
    writeFileSync(join(folder, "file"), "");
    const message = (act: () => void) => catchRefusal(act)?.message.replaceAll(folder, "…");
    expect(message(() => readFileSync(join(folder, "no")))).toBe(
      "Could not open …/no: it does not exist.",
    );
    expect(message(() => mkdirSync(join(folder, "file/x")))).toBe(
      "Could not create the folder …/file/x: a part of that path is a file, not a folder.",
    );
  });

  test("an error of ours is not the system's", () => {
    expect(systemRefusal(new TypeError("x"))).toBeNull();
    expect(systemRefusal("x")).toBeNull();
  });
});

test("whatever a user can mend is said without a stack", async () => {
  const home = makeHome();
  const file = home.write("file", "");
  const env = { ...home.env, XDG_DATA_HOME: file };
  for (const words of [
    ["doctor", "--no-live"],
    ["setup", "--yes", "--no-check", "--spec", "./plugin"],
    ["setup", "--remove", "--yes"],
  ]) {
    home.write("plugin/package.json", '{"name":"@session-runtime/opencode","exports":{}}');
    const { out, err } = await runCli(words, env, home.root);
    expect(`${out}${err}`).not.toMatch(/^\s+at |should not have happened/m);
    expect(`${out}${err}`).toMatch(/is a file, not a folder|nothing to remove/);
  }
});

test("started in a folder that is gone: said, with what to do", async () => {
  const home = makeHome();
  const script = `mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"`;
  const { bundledCli } = await import("./command-line.ts");
  const child = Bun.spawn(["sh", "-c", script, "node", bundledCli(), "doctor", "--no-live"], {
    cwd: home.root,
    env: { PATH: process.env.PATH ?? "", ...home.env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const said = (await child.stdout.text()) + (await child.stderr.text());
  expect(said).not.toMatch(/^\s+at /m);
  expect(said).toContain("no longer exists");
});
