// Which commands Pi has once it has loaded its extensions: one start, without a session and a model.
import { join } from "node:path";
import { fieldsIn, toFields } from "../../../plugin/src/context/fields.ts";
import type { FoundHost } from "../host/find-host.ts";
import type { Environment } from "../host/places.ts";
import { type ProgramRun, runProgram } from "../host/run-program.ts";
import { inThrowawayFolder } from "../host/throwaway.ts";

/** What Pi said. */
export type PiAnswer =
  | {
      readonly kind: "answered";
      /** Those of extensions. */
      readonly commands: readonly string[];
      /** What kept extensions from loading, a line each. */
      readonly complaints: readonly string[];
    }
  /** `hangs`: it did not answer in time, which a busy machine may be the reason of. */
  | { readonly kind: "failed"; readonly fault: "fails" | "hangs"; readonly reason: string };

export interface PiQuestion {
  readonly directory: string;
  readonly env: Environment;
  readonly deadline: AbortSignal;
  /** `own`: all that the user's settings name. Else the one package, beside nothing of the user's. */
  readonly extensions: "own" | { readonly only: string };
}

const QUESTION = `${JSON.stringify({ id: "commands", type: "get_commands" })}\n`;
const RPC = ["--mode", "rpc", "--no-session", "--no-mcp"];

/** Our database of that start lies in a throwaway folder, as does Pi's own folder where it is asked for one package. */
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

/** Pi fetches what comes from npm; nothing else is to be fetched. */
function wordsFor(extensions: PiQuestion["extensions"]): readonly string[] {
  if (extensions === "own") return ["--offline"];
  const { only } = extensions;
  const offline = only.startsWith("npm:") ? [] : ["--offline"];
  return [...offline, "--no-extensions", "-e", only];
}

function parsePiAnswer({ end, exitCode, out, err }: ProgramRun): PiAnswer {
  const said = out
    .split("\n")
    .map(fieldsIn)
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

/** Whether our extension is among those that Pi has loaded. */
export function hasOurs(commands: readonly string[]): boolean {
  return commands.some((name) => name === "ctx-status" || name.startsWith("ctx-status:"));
}
