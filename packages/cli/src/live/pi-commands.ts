// Asks Pi which commands it has with its extensions loaded, by one start without a session or model.
import { join } from "node:path";
import { parseFields, toFields } from "@session-runtime/opencode/context/fields";
import type { FoundHost } from "../host/find-host.ts";
import type { Environment } from "../host/places.ts";
import { type ProgramRun, runProgram } from "../host/run-program.ts";
import { inThrowawayFolder } from "../host/throwaway.ts";

/** Holds Pi's answer, or how it failed to give one. */
export type PiAnswer =
  | {
      readonly kind: "answered";
      /** The commands of extensions. */
      readonly commands: readonly string[];
      /** The reasons why extensions did not load, a line each. */
      readonly complaints: readonly string[];
    }
  /** `hangs`: it did not answer in time, which may be because the machine is busy. */
  | { readonly kind: "failed"; readonly fault: "fails" | "hangs"; readonly reason: string };

export interface PiQuestion {
  readonly directory: string;
  readonly env: Environment;
  readonly deadline: AbortSignal;
  /** `own` loads all extensions of the user's settings; `only` loads one package, without the user's. */
  readonly extensions: "own" | { readonly only: string };
}

const QUESTION = `${JSON.stringify({ id: "commands", type: "get_commands" })}\n`;
const RPC = ["--mode", "rpc", "--no-session", "--no-mcp"];

/** Starts Pi with our database in a throwaway folder; with one package alone, Pi's own folder is there, too. */
export function piCommands(pi: FoundHost, question: PiQuestion): Promise<PiAnswer> {
  return inThrowawayFolder("pi", async (folder) => {
    const { directory, env, deadline, extensions } = question;
    const run = await runProgram(pi.path, [...RPC, ...wordsFor(extensions)], {
      cwd: directory,
      env: {
        ...env,
        SESSION_RUNTIME_DB: join(folder, "runtime.db"),
        ...(extensions === "own" ? {} : { PI_CODING_AGENT_DIR: join(folder, "agent") }),
      },
      input: QUESTION,
      deadline,
    });
    return parsePiAnswer(run);
  });
}

/** Builds the arguments: Pi may fetch a package from npm, and nothing else. */
function wordsFor(extensions: PiQuestion["extensions"]): readonly string[] {
  if (extensions === "own") return ["--offline"];
  const { only } = extensions;
  const offline = only.startsWith("npm:") ? [] : ["--offline"];
  return [...offline, "--no-extensions", "-e", only];
}

function parsePiAnswer({ end, exitCode, out, err }: ProgramRun): PiAnswer {
  const said = out
    .split("\n")
    .map(parseFields)
    .filter((line) => line !== null);
  const errors = err.split("\n").filter((line) => /error/i.test(line));
  const answer = said.find(({ id, success }) => id === "commands" && success === true);
  if (answer === undefined) {
    if (end === "out-of-time") {
      const reason = "it did not answer in time; this machine may be busy";
      return { kind: "failed", fault: "hangs", reason };
    }
    const how = `it ended with exit code ${exitCode}`;
    return { kind: "failed", fault: "fails", reason: errors[0]?.replace(/^Error: /, "") ?? how };
  }
  const { commands } = toFields(answer.data);
  const listed: readonly unknown[] = Array.isArray(commands) ? commands : [];
  return {
    kind: "answered",
    commands: listed
      .map(toFields)
      .filter(({ source }) => source === "extension")
      .map(({ name }) => String(name)),
    complaints: [
      ...errors,
      ...said.filter(({ type }) => type === "extension_error").map(({ error }) => String(error)),
    ],
  };
}

/** Says whether Pi has loaded our extension. */
export function hasOurs(commands: readonly string[]): boolean {
  return commands.some((name) => name === "ctx-status" || name.startsWith("ctx-status:"));
}
