import { expect, setDefaultTimeout, test } from "bun:test";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import { entryCommit } from "../../../plugin/test/storage/records.ts";
import { bundledCli } from "../command-line.ts";
import { DataFolders, first, storeSession } from "./data-folder.ts";

setDefaultTimeout(60_000);
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
  const [entry] = entryCommit(5, first).entries;
  if (!entry) throw new Error("no entry");
  const entries = [{ ...entry, epochSeq: 5 }];
  database.ledger.commit({ sessionId: first, expectedSeq: 5, epoch: null, entries });
  expect(JSON.parse(await nextLine()).updates).toHaveLength(1);
  child.kill("SIGINT");
  expect(await child.exited).toBe(0);
  expect(await child.stderr.text()).toBe("");
});
