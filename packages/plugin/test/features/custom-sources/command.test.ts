import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CustomSourceEntry } from "../../../src/sources/custom-spec.ts";
import { eventually } from "../../eventually.ts";
import { scratchFolders } from "../../sources/scratch-folder.ts";
import { closeAfterEach, follow } from "./follow.ts";

const folder = scratchFolders();
closeAfterEach();
const PATH = process.env.PATH ?? "";

/** A shell script in a new Location, followed as a source that runs at every boundary. */
function script(body: string, entry: CustomSourceEntry, boundaryMs: number) {
  const directory = folder();
  const path = join(directory, "say.sh");
  const rewrite = (text: string) => {
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
  };
  rewrite(body);
  const env = { PATH, HOME: "/home/ada", SECRET: "hunter2", TEAM: "blue" };
  const own = { command: ["./say.sh"], refreshMs: 0, ...entry };
  const follower = follow({ "team/own": own }, { directory, env, boundaryMs });
  return { directory, rewrite, follower };
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A zombie is dead, whoever has still to collect it.
  const state = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "utf8") : "";
  return !/\) Z /.test(state);
}

const pidIn = (path: string) => Number(readFileSync(path, "utf8"));

describe("M3: a command", () => {
  test("baseline, update, removal and return", async () => {
    const { rewrite, follower } = script("echo Ada", {}, 5000);
    expect(await follower.boundary()).toBe("team/own:\nAda");
    expect(await follower.boundary()).toBeNull();
    rewrite("printf '\\033[1mGrace\\033[0m\\n\\n'");
    expect(await follower.boundary()).toBe("team/own has changed. It is now:\nGrace");
    rewrite("true");
    expect(await follower.boundary()).toBe("team/own no longer applies.");
    rewrite("echo Ada");
    expect(await follower.boundary()).toBe("team/own:\nAda");
  });

  test("runs in the Location, with a clean environment and what is named for it", async () => {
    const entry = { passEnv: ["TEAM", "NOT_SET"] };
    const { directory, follower } = script(
      'pwd; env | grep -v "^_=\\|^PWD=\\|^OLDPWD=\\|^SHLVL="',
      entry,
      5000,
    );
    const told = (await follower.boundary())?.split("\n") ?? [];
    expect(told[1]).toBe(directory);
    expect(told.slice(2).sort()).toEqual(["HOME=/home/ada", `PATH=${PATH}`, "TEAM=blue"]);
  });

  test("no shell unless asked: words are words", async () => {
    const words = script("true", { command: ["printf", "%s", "$HOME; `id` | cat > x"] }, 5000);
    expect(await words.follower.boundary()).toBe("team/own:\n$HOME; `id` | cat > x");
    const shell = script("true", { command: { shell: "echo one two | cut -d' ' -f2" } }, 5000);
    expect(await shell.follower.boundary()).toBe("team/own:\ntwo");
  });

  test("I8: failure: an exit code says nothing and forgets nothing; its reason is no output", async () => {
    const { rewrite, follower } = script("echo Ada", {}, 5000);
    await follower.boundary();
    rewrite("echo hunter2; echo hunter2 >&2; exit 3");
    expect(await follower.boundary()).toBeNull();
    expect(follower.reasons()).toEqual(["team/own: exit code 3"]);
    rewrite("echo Ada");
    expect(await follower.boundary()).toBeNull();
    expect(follower.reasons()).toEqual([]);
  });

  test("exit 137 and a kill by a signal are failures with their names", async () => {
    const { rewrite, follower } = script("exit 137", {}, 5000);
    expect(await follower.boundary()).toBeNull();
    expect(follower.reasons()).toEqual(["team/own: exit code 137"]);
    rewrite("kill -9 $$");
    await follower.boundary();
    expect(follower.reasons()).toEqual(["team/own: ended by SIGKILL"]);
  });

  test("a program that is not there is unavailable with a reason", async () => {
    const { follower } = script("true", { command: ["/no/such/program"] }, 5000);
    expect(await follower.boundary()).toBeNull();
    expect(follower.reasons()).toEqual(["team/own: can't be started (ENOENT)"]);
  });

  test("timeout and hang: it is killed with its children", async () => {
    const body = 'sleep 60 & echo $! > child.pid; echo $$ > own.pid; trap "" TERM; wait';
    const { directory, follower } = script(body, { timeoutMs: 1000 }, 5000);
    expect(await follower.boundary()).toBeNull();
    expect(follower.reasons()).toEqual(["team/own: still running after 1000 ms; it was killed"]);
    for (const name of ["child.pid", "own.pid"]) {
      await eventually("it has ended", () => !alive(pidIn(join(directory, name))));
    }
  });

  test("the boundary does not wait longer than its own timeout; the output is told when it is there", async () => {
    const { follower } = script("sleep 0.5; echo Ada", { refreshMs: 60_000, timeoutMs: 5000 }, 100);
    expect(await follower.boundary()).toBeNull();
    expect(follower.reasons()).toEqual(["team/own: no answer within 100 ms"]);
    await eventually(
      "it is announced",
      async () => (await follower.boundary()) === "team/own:\nAda",
    );
  });

  test("fork: a child that stays behind with the output open is killed, and what was said counts", async () => {
    const body = "(sleep 60; echo late) & echo $! > child.pid; echo Ada";
    const { directory, follower } = script(body, {}, 5000);
    expect(await follower.boundary()).toBe("team/own:\nAda");
    await eventually("it has ended", () => !alive(pidIn(join(directory, "child.pid"))));
  });

  test("flood: it is ended at maxBytes, and its beginning is told with a note", async () => {
    const { follower } = script(
      "echo $$ > own.pid; exec yes",
      { maxBytes: 100, timeoutMs: 5000 },
      5000,
    );
    const told = await follower.boundary();
    expect(told).toContain("y\ny\n");
    expect(told).toContain("[Cut here: the rest, after 100 bytes, is left out.]");
    expect(told?.length).toBeLessThan(250);
    expect(await follower.boundary()).toBeNull();
  });

  test("closing ends what still runs", async () => {
    const { directory, follower } = script("echo $$ > own.pid; exec sleep 60", {}, 200);
    await follower.boundary();
    await eventually("it runs", () => existsSync(join(directory, "own.pid")));
    follower.sources.close();
    await eventually("it has ended", () => !alive(pidIn(join(directory, "own.pid"))));
  });
});

describe("a command's output stands while it is fresh", () => {
  const counted = "echo run >> runs; wc -l < runs | tr -d ' '";
  const runs = (directory: string) =>
    readFileSync(join(directory, "runs"), "utf8").trim().split("\n").length;

  test("it is not run again before refreshMs, and no boundary waits for the run after it", async () => {
    const { directory, rewrite, follower } = script(counted, { refreshMs: 10_000 }, 5000);
    expect(await follower.boundary()).toBe("team/own:\n1");
    follower.later(9_999);
    expect(await follower.boundary()).toBeNull();
    expect(runs(directory)).toBe(1);
    rewrite(`until test -e go; do sleep 0.05; done; ${counted}`);
    follower.later(1);
    // The run can't end yet: a boundary that waited for it would say that there is no answer.
    for (let boundary = 0; boundary < 2; boundary += 1) {
      expect(await follower.boundary()).toBeNull();
      expect(follower.reasons()).toEqual([]);
    }
    writeFileSync(join(directory, "go"), "");
    await eventually("it is announced", async () => (await follower.boundary()) !== null);
    expect(runs(directory)).toBe(2);
  });

  test("sessions of a Location share its runs, and one never runs twice at once", async () => {
    const { directory, follower } = script(`sleep 0.1; ${counted}`, {}, 5000);
    await Promise.all([follower.boundary(), follower.boundary(), follower.boundary()]);
    expect(runs(directory)).toBe(1);
  });
});
