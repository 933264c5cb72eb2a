// Asks setup's few questions.
import { confirm, isCancel, multiselect, select } from "@clack/prompts";
import { CliError, EXIT } from "../cli-error.ts";
import type { Part } from "./part.ts";
import type { Settings } from "./plan.ts";
import type { SameWork } from "./same-work.ts";

/** Asks which of the found hosts to set up; Enter takes all, and at least one is needed. */
export async function askHosts(parts: readonly Part[]): Promise<readonly Part[]> {
  const names = answered(
    await multiselect({
      message: "Which hosts? Press Space to select or deselect one.",
      options: parts.map(({ name, host }) => ({ value: name, label: `${name} ${host.version}` })),
      initialValues: parts.map(({ name }) => name),
      required: true,
    }),
  );
  return parts.filter(({ name }) => names.includes(name));
}

/** Asks for the settings without an obvious answer; Enter takes the defaults. */
export async function askSettings(given: Settings): Promise<Settings> {
  if (given.size > 0) return given;
  const choice = answered(
    await select({
      message: "Which settings?",
      options: [
        { value: "defaults", label: "The defaults", hint: "right for nearly everyone" },
        { value: "choose", label: "Let me choose", hint: "two questions" },
      ],
    }),
  );
  if (choice === "defaults") return given;
  const recovery = answered(
    await select({
      message: "After a crash, what should happen to prompts that got no answer?",
      options: [
        { value: "ask", label: "Show them; /ctx-resume sends them", hint: "default" },
        { value: "auto", label: "Send them again" },
        { value: "off", label: "Leave them alone" },
      ],
    }),
  );
  const lowering = answered(
    await select({
      message: "How should the model learn of changes to its context?",
      options: [
        {
          value: "auto",
          label: "In the provider's own instruction role, where it has one",
          hint: "default",
        },
        { value: "wrapped", label: "As text" },
      ],
    }),
  );
  const chosen = new Map<"recovery" | "lowering", string>();
  if (recovery !== "ask") chosen.set("recovery", recovery);
  if (lowering !== "auto") chosen.set("lowering", lowering);
  return chosen;
}

/** Asks whether to take out the plugins that do the same work, all or none. */
export async function confirmRemovingConflicts(
  others: readonly SameWork[],
): Promise<readonly SameWork[]> {
  if (others.length === 0) return [];
  const names = others.map(({ name, spec }) => `${name} (${spec})`).join(" and ");
  const [verb, them] = others.length === 1 ? ["does", "it"] : ["do", "them"];
  const message = `${names} ${verb} the same work, and two such plugins undo each other's. Remove ${them} from the config?`;
  return answered(await confirm({ message })) ? others : [];
}

/** Offers the estimate; Enter means no, because it takes a while and can be run later. */
export async function askForEstimate(how: string): Promise<boolean> {
  const message = `Estimate first what your past sessions would have cost with it? Nothing leaves this machine; \`${how}\` does it at any time.`;
  return answered(await confirm({ message, initialValue: false }));
}

export async function confirmContinue(message: string): Promise<void> {
  if (answered(await confirm({ message }))) return;
  throw leave();
}

function answered<T>(answer: T): Exclude<T, symbol> {
  if (typeof answer === "symbol" || isCancel(answer)) throw leave();
  return answer as Exclude<T, symbol>;
}

function leave(): CliError {
  return new CliError("cancelled", "Nothing was changed.", "", EXIT.cancelled);
}
