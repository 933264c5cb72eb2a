import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DataFolders } from "./data-folder.ts";
import { makeHostTables } from "./host-tables.ts";

setDefaultTimeout(600_000);
const folders = new DataFolders();

test("index leaves out the sessions of a folder that git hangs in, says so, and ends with 1", async () => {
  const folder = folders.make();
  const [hanging, bin] = [join(folder.home, "hanging"), join(folder.home, "bin")];
  for (const path of [hanging, join(hanging, ".git"), bin]) mkdirSync(path);
  const host = makeHostTables(folder.home);
  host.exec(`
    INSERT INTO session VALUES ('ses_a', 'A', NULL, '${hanging}', 'global', 1);
    INSERT INTO session VALUES ('ses_b', 'B', NULL, '${folder.home}', 'global', 1);`);
  host.close();
  const script = `#!/bin/sh\ncase " $* " in *"/hanging "*) exec sleep 50;; esac\nexit 128\n`;
  writeFileSync(join(bin, "git"), script, { mode: 0o755 });
  const env = { PATH: `${bin}:${process.env.PATH}` };
  const { out, err, exitCode } = await folder.run(["index"], env);
  expect(exitCode).toBe(1);
  expect(out).toStartWith("Indexed 1 session with ");
  expect(err).toContain(`Left out 1 session: git gave no answer in ${hanging}.`);
  // With `--here` git is asked in this folder alone.
  const here = await folder.run(["index", "--here"], env);
  expect({ err: here.err, exitCode: here.exitCode }).toEqual({ err: "", exitCode: 0 });
});
