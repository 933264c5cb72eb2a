// The few questions that setup asks.
import { confirm, isCancel, select } from "@clack/prompts";
import { CliError } from "../cli-error.ts";
import { EXIT } from "../exit-codes.ts";
import type { Settings } from "./plan.ts";

/** Asks for what has no obvious answer; everybody else presses Enter once. */
export async function askSettings(given: Settings): Promise<Settings> {
  if (given.size > 0) return given;
  const choice = answered(
    await select({
      message: "Settings",
      options: [
        { value: "defaults", label: "The defaults", hint: "they suit nearly everybody" },
        { value: "choose", label: "Let me choose", hint: "two questions" },
      ],
    }),
  );
  if (choice === "defaults") return given;
  const recovery = answered(
    await select({
      message: "After a crash, prompts without an answer",
      options: [
        { value: "ask", label: "are shown; /ctx-resume sends them", hint: "default" },
        { value: "auto", label: "are sent again by themselves" },
        { value: "off", label: "are left alone" },
      ],
    }),
  );
  const lowering = answered(
    await select({
      message: "Changes of context are told to the model",
      options: [
        { value: "wrapped", label: "as text, everywhere", hint: "default" },
        { value: "auto", label: "in the provider's own role, where it has one" },
      ],
    }),
  );
  const chosen = new Map<"recovery" | "lowering", string>();
  if (recovery !== "ask") chosen.set("recovery", recovery);
  if (lowering !== "wrapped") chosen.set("lowering", lowering);
  return chosen;
}

export async function askToGoOn(message: string): Promise<void> {
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
