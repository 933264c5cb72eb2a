// Implements `session-runtime upkeep`: lists, starts, shows, applies, undoes and stops runs.
import type { CliAnswer, CliCall, CliCommandCode } from "../../feature-api/command.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import type { Project } from "../../project/project.ts";
import { readLiveLeases } from "../../storage/session-list.ts";
import { isProcessDead } from "../inbox/process-id.ts";
import { runOnProject } from "../memory/memory-cli.ts";
import type { MemoryStore } from "../memory/sqlite-store.ts";
import { listConfiguredTasks, UpkeepActions } from "./actions.ts";
import { createRunStore } from "./run-store.ts";
import { maintenanceSettings } from "./settings.ts";
import { TASKS } from "./task.ts";

export const maintenanceCli: CliCommandCode = {
  details: [
    "Tasks that keep the memories of this project short, true and useful. They run in the",
    `background of a session that is open in this folder, if \`upkeep.tasks\` sets them: ${TASKS.join(", ")}.`,
  ],
  args: {
    do: {
      type: "positional",
      required: false,
      description: "`list` (or nothing), `run`, `show`, `apply`, `undo` or `stop`",
    },
    what: {
      type: "positional",
      required: false,
      description:
        "The task to run (default: all that are set), or the number of a run; undo also takes `all`",
    },
  },
  examples: [
    { line: "session-runtime upkeep", does: "lists the newest runs" },
    { line: "session-runtime upkeep run consolidate", does: "runs one task" },
    { line: "session-runtime upkeep apply 3", does: "applies the patch of run 3 to the documents" },
    { line: "session-runtime upkeep undo", does: "undoes what the newest run has changed" },
  ],
  access: "writes",
  run: (call) => runOnProject(call, runAction),
};

async function runAction(
  call: CliCall,
  memories: MemoryStore,
  project: Project,
): Promise<CliAnswer> {
  const { driver, directory, given } = call;
  const actions = new UpkeepActions({
    memories,
    project,
    directory,
    worker: directory,
    askedBy: "shell",
    now: Date.now,
    named: call.typed,
    runs: createRunStore(driver),
    tasks: listConfiguredTasks(selectSettings(await call.config(), maintenanceSettings)),
  });
  const words = ["do", "what"].flatMap((name) => {
    const word = given.get(name);
    return typeof word === "string" && word !== "" ? [word] : [];
  });
  const answer = await actions.carryOut(words);
  return words[0] === "run"
    ? { ...answer, text: `${answer.text} ${renderStartHint(call)}` }
    : answer;
}

function renderStartHint({ driver, nowMs }: CliCall): string {
  return readLiveLeases(driver, nowMs, isProcessDead).size > 0
    ? "It starts after the next turn in this folder."
    : "No session is open now: it starts with the next turn in this folder.";
}
