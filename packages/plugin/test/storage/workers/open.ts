// Opens databases that are not there yet, each at the same moment as other processes do.
import { statSync } from "node:fs";
import { openRuntimeDatabase } from "../../../src/storage/open.ts";
import { schema } from "../../schema.ts";
import { report, waitFor } from "../processes.ts";

const STEP_MS = 40;

const [path = "", gate = "", count = "0"] = process.argv.slice(2);
waitFor(gate);
const startMs = statSync(gate).mtimeMs + STEP_MS;
const versions: number[] = [];
for (let index = 0; index < Number(count); index += 1) {
  while (Date.now() < startMs + index * STEP_MS);
  const { database } = await openRuntimeDatabase({ schema, path: `${path}-${index}` });
  versions.push(database.health().schemaVersion);
  database.close();
}
report(versions);
