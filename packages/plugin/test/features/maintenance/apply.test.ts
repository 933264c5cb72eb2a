// The patch of a project's documents: put in by a command, and taken back by another.
import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writePatch } from "../../../src/features/maintenance/patch.ts";
import { Workspace } from "../../storage/workspace.ts";
import { formatProposals, UpkeepStage } from "./stage.ts";

const workspace = new Workspace();
const BEFORE = "# Shop\n\nThe ledger rounds.\n\nOne.\nTwo.\nThree.\nFour.\n";
const AFTER = BEFORE.replace("The ledger rounds.", "The mailer rounds.");

/** A run of the task, whose patch is for a repository of the test's own. */
async function proposed() {
  const root = workspace.folder();
  const document = join(root, "ARCHITECTURE.md");
  writeFileSync(document, BEFORE);
  execFileSync("git", ["-C", root, "init", "-q"]);
  const database = workspace.path();
  const stage = await new UpkeepStage(workspace, { tasks: { docs: {} } }).enter();
  stage.directory = root;
  stage.writePatch = (...patch) => writePatch(database, { id: 1 }, ...patch);
  stage.files.set("ARCHITECTURE.md", BEFORE);
  await stage.remember("The mailer rounds invoices.");
  const change = { find: "The ledger rounds.", replace: "The mailer rounds.", why: "It moved." };
  stage.answer = () => formatProposals({ do: "document", path: "ARCHITECTURE.md", ...change });
  await stage.run("docs");
  const patch = join(database, "../upkeep/run-1.patch");
  return { stage, document, patch, text: () => readFileSync(document, "utf8") };
}

test("Z8: `apply` puts a run's patch into the documents, and `undo` takes it back out", async () => {
  const { stage, text, patch } = await proposed();
  expect(text()).toBe(BEFORE);
  expect((await stage.desk("show 1")).text).toContain(`The patch is in ${patch}`);
  expect((await stage.desk("apply")).text).toBe(
    "Applied the patch of run 1. `session-runtime upkeep undo 1` undoes it.",
  );
  expect(text()).toBe(AFTER);
  await expect(stage.desk("apply 1")).rejects.toThrow("is already applied");
  expect((await stage.desk("undo 1")).text).toBe("Undid the patch of run 1.");
  expect(text()).toBe(BEFORE);
  await stage.desk("apply 1");
  expect(text()).toBe(AFTER);
});

test("Z8: what has changed elsewhere in the document stays, at `undo` too", async () => {
  const { stage, document, text } = await proposed();
  await stage.desk("apply 1");
  writeFileSync(document, AFTER.replace("Four.", "Five."));
  await stage.desk("undo 1");
  expect(text()).toBe(BEFORE.replace("Four.", "Five."));
});

test("Z8: a patch that fits no more is refused whole, and lines changed since stay at `undo`", async () => {
  const { stage, document, text } = await proposed();
  writeFileSync(document, BEFORE.replace("The ledger rounds.", "Nothing rounds."));
  await expect(stage.desk("apply 1")).rejects.toThrow("doesn't fit the documents as they are now");
  expect(text()).toContain("Nothing rounds.");
  writeFileSync(document, BEFORE);
  await stage.desk("apply 1");
  const changed = AFTER.replace("The mailer rounds.", "The mailer rounds up.");
  writeFileSync(document, changed);
  expect((await stage.desk("undo 1")).text).toContain(
    "was not undone, because its lines have changed since",
  );
  expect(text()).toBe(changed);
});

test("Z8: what a person applied by hand, and a patch that is gone, are left alone", async () => {
  const { stage, document, patch, text } = await proposed();
  writeFileSync(document, AFTER);
  expect((await stage.desk("undo 1")).text).toBe("Nothing to undo.");
  expect(text()).toBe(AFTER);
  rmSync(patch);
  await expect(stage.desk("apply 1")).rejects.toThrow("is no longer at");
  expect(existsSync(`${patch}.applied`)).toBe(false);
});
