// Offers, before anything is installed, to show what past sessions would have cost with the plugin.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Environment, resolvePlaces } from "../host/places.ts";
import { typed } from "../invocation.ts";
import { askForEstimate } from "./questions.ts";

/** Offers the estimate and shows it; does nothing where OpenCode has no sessions to read. */
export async function offerEstimate(env: Environment): Promise<void> {
  if (!existsSync(join(resolvePlaces(env).hostData, "opencode.db"))) return;
  const how = typed("estimate");
  if (await askForEstimate(how)) await runEstimate(env);
}

/**
 * Runs the estimate in a separate process, which finds the SQLite that this Node may lack and reports its own
 * failures.
 */
function runEstimate(env: Environment): Promise<void> {
  return new Promise((resolve, reject) => {
    const words = [process.argv[1] ?? "", "estimate", "--last", "20"];
    const child = spawn(process.execPath, words, { env, stdio: "inherit" });
    child.once("error", reject);
    child.once("exit", () => resolve());
  });
}
