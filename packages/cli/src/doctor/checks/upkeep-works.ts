// Checks that the configured maintenance tasks can run.
import { sentence } from "../../sentence.ts";
import { type Check, type Finding, found, passed } from "../finding.ts";

export const maintenanceWorks: Check = {
  id: "upkeep-works",
  title: "The upkeep tasks can run",
  answeredBy: ["disabled-by-setting"],
  run: ({ settings: { maintenance }, resolved }) => {
    const { tasks } = maintenance;
    if (tasks.length === 0) return passed("none is set");
    const findings: Finding[] = tasks.flatMap(({ name, schedule, scheduleProblem }) =>
      scheduleProblem === null
        ? []
        : [
            {
              code: "upkeep-schedule",
              severity: "warning",
              what: `The upkeep task ${name} never starts by itself.`,
              cause: `Its schedule "${schedule}" does not work: ${sentence(scheduleProblem)}`,
              fix: 'Use a cron expression of five fields, such as "0 3 * * *" for three in the morning, or null.',
            },
          ],
    );
    const without = tasks.filter(({ model }) => model === null).map(({ name }) => name);
    const hostHasModel = resolved?.kind !== "resolved" || resolved.namesModel;
    if (without.length > 0 && !maintenance.hasJobsModel && !hostHasModel) {
      findings.push({
        code: "upkeep-no-model",
        severity: "note",
        what: `Upkeep may have no model for ${without.join(", ")}.`,
        cause:
          'Neither the task nor `jobs.model` names one, and OpenCode\'s config has no "small_model" and no "model": which provider you use is known only after the first turn.',
        fix: "Name one as `jobs.model` in the settings of Session Runtime.",
      });
    }
    if (!maintenance.isMemoryOn) {
      findings.push({
        code: "upkeep-no-memory",
        severity: "note",
        what: "Upkeep has no new memories to look at.",
        cause: "Tasks are set, but `memory.enabled` is false, so nothing is remembered.",
        fix: "Set `memory.enabled` to true, or remove the tasks.",
      });
    }
    return findings.length === 0
      ? passed(tasks.map(({ name }) => name).join(", "))
      : found(...findings);
  },
};
