import { expect, setDefaultTimeout, test } from "bun:test";
import type { RuntimeDatabase } from "@session-runtime/opencode/storage/database";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import { missingTool } from "../../../../scripts/system-tools.mjs";
import { openTerminal } from "../../../e2e/src/terminal/tmux.ts";
import { entryCommit } from "../../../plugin/test/storage/records.ts";
import { bundledCli } from "../command-line.ts";
import { DataFolders, first, storeSession } from "./data-folder.ts";

setDefaultTimeout(600_000);
const folders = new DataFolders();

/** Reads lines as they come; each call gives the next one. */
function lineReader(stream: ReadableStream<Uint8Array>) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  return async (): Promise<string> => {
    for (;;) {
      const end = rest.indexOf("\n");
      if (end !== -1) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 1);
        return line;
      }
      const { value, done } = await reader.read();
      if (done) throw new Error(`The output ended after: ${rest}`);
      rest += value;
    }
  };
}

/** Tells one more update in the session's newest epoch. */
function tellUpdate({ ledger }: RuntimeDatabase): void {
  const entries = entryCommit(5, first).entries.map((entry) => ({ ...entry, epochSeq: 5 }));
  ledger.commit({ sessionId: first, expectedSeq: 5, epoch: null, entries });
}

test("status --watch --json gives a line for each change, and Ctrl-C ends it well", async () => {
  const folder = folders.make();
  const database = folder.open();
  storeSession(database, first, Date.now() - 60_000);
  const child = Bun.spawn(["node", bundledCli(), "status", first, "--watch", "--json"], {
    env: { PATH: process.env.PATH ?? "", HOME: folder.home, OPENCODE_BIN: hostBinary() },
    cwd: folder.home,
    stdout: "pipe",
    stderr: "pipe",
  });
  const nextLine = lineReader(child.stdout);
  expect(JSON.parse(await nextLine())).toMatchObject({ sessionId: first, updates: [] });
  tellUpdate(database);
  expect(JSON.parse(await nextLine()).updates).toHaveLength(1);
  child.kill("SIGINT");
  expect(await child.exited).toBe(0);
  expect(await child.stderr.text()).toBe("");
});

const missing = missingTool("tmux");

test.skipIf(missing !== null)(
  `on a terminal the report stays in its place, and what doesn't fit is told${missing ? ` (${missing})` : ""}`,
  async () => {
    const folder = folders.make();
    const database = folder.open();
    storeSession(database, first, Date.now() - 3_600_000);
    // The shell outlives the Ctrl-C, to say how the command ended.
    const script = 'trap : INT; node "$@"; echo "ended with $?"; exec cat';
    const terminal = openTerminal({
      command: ["sh", "-c", script, "sh", bundledCli(), "status", first, "--watch"],
      cwd: folder.home,
      env: {
        PATH: process.env.PATH ?? "",
        LANG: "C.UTF-8",
        HOME: folder.home,
        OPENCODE_BIN: hostBinary(),
      },
      columns: 90,
      rows: 20,
    });
    try {
      await terminal.waitFor("Updates in this epoch: none");
      tellUpdate(database);
      const screen = await terminal.waitFor("Updates in this epoch: 1");
      expect(screen).toStartWith(`Session Runtime: ${first}`);
      expect(screen).toMatch(/… \d+ more lines: make the window taller/);
      terminal.press("C-c");
      await terminal.waitFor("ended with 0");
    } finally {
      terminal.close();
    }
  },
);
