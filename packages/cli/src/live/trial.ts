// Runs a few turns in the user's own set-up, with data in a throwaway folder.
// Folder: A trial of the user's own set-up on the real host.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { toFields } from "@session-runtime/opencode/context/fields";
import type { FoundHost } from "../host/find-host.ts";
import type { Environment } from "../host/places.ts";
import { FETCHES_NOTHING, inThrowawayFolder } from "../host/throwaway.ts";
import { HostFailure, type HostServer, startHostServer } from "./host-server.ts";
import { startStubProvider, type WireCall } from "./stub-provider.ts";

/** Holds what was seen of the real host, with the user's own config, against a provider of ours. */
export type Trial =
  | {
      readonly kind: "ran";
      /** The session's own calls in order; between the first and the second its instructions changed. */
      readonly calls: readonly WireCall[];
      readonly commands: readonly string[];
      readonly log: string;
      readonly durationMs: number;
    }
  | {
      readonly kind: "failed";
      readonly fault: HostFailure["fault"];
      readonly reason: string;
      readonly log: string;
    };

/** Holds the text of the instructions, first and after their change. */
export const FIRST_WORD = "session-runtime-doctor: the first word.";
export const SECOND_WORD = "session-runtime-doctor: the second word.";

/** Lists the prompts that a verdict needs. */
export const PROMPTS = ["Say OK, please.", "And once more.", "And a last time."] as const;

const PROVIDER = "session-runtime-doctor";
const MODEL = "claude-stub";

interface TrialSettings {
  readonly host: FoundHost;
  readonly directory: string;
  readonly env: Environment;
  /** The MCP servers that the config names; they are not started. */
  readonly mcpServers: readonly string[];
  /** The prompts to send, one after the other; the instructions change after the first. */
  readonly prompts: readonly string[];
  /** Aborts when the host counts as hanging. */
  readonly deadline: AbortSignal;
}

/**
 * Runs some turns in the user's own set-up. It writes nothing of the user's: the host's data and state and our
 * database are in a throwaway folder. MCP servers are not started.
 */
export function runTrial(settings: TrialSettings): Promise<Trial> {
  return inThrowawayFolder("trial", (folder) => runTrialIn(folder, settings));
}

async function runTrialIn(
  folder: string,
  { host, directory, env, mcpServers, prompts, deadline }: TrialSettings,
): Promise<Trial> {
  const began = performance.now();
  const instructions = join(folder, "instructions.md");
  writeFileSync(instructions, FIRST_WORD);
  const provider = await startStubProvider();
  let server: HostServer | undefined;
  try {
    const config = trialConfig(provider.url, instructions, mcpServers);
    server = await startHostServer({
      binary: host.path,
      directory,
      deadline,
      env: {
        ...env,
        ...throwawayPlaces(folder),
        ...FETCHES_NOTHING,
        OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
      },
    });
    await converse(server, instructions, prompts);
    return {
      kind: "ran",
      calls: provider.calls.filter(isMainCall),
      commands: namesIn(await server.request("GET", "/command")),
      log: server.log(),
      durationMs: performance.now() - began,
    };
  } catch (error) {
    if (!(error instanceof HostFailure)) throw error;
    const { fault, message: reason } = error;
    return { kind: "failed", fault, reason, log: server?.log() ?? error.log };
  } finally {
    await server?.stop();
    provider.stop();
  }
}

async function converse(
  server: HostServer,
  instructions: string,
  prompts: readonly string[],
): Promise<void> {
  const session = await server.request("POST", "/session", { title: "session-runtime doctor" });
  const id = requireId(session);
  for (const [index, text] of prompts.entries()) {
    if (index === 1) writeFileSync(instructions, SECOND_WORD);
    await server.request("POST", `/session/${id}/message`, {
      model: { providerID: PROVIDER, modelID: MODEL },
      parts: [{ type: "text", text }],
    });
  }
}

function trialConfig(url: string, instructions: string, mcpServers: readonly string[]) {
  return {
    model: `${PROVIDER}/${MODEL}`,
    small_model: `${PROVIDER}/${MODEL}`,
    enabled_providers: [PROVIDER],
    share: "disabled",
    autoupdate: false,
    snapshot: false,
    instructions: [instructions],
    mcp: Object.fromEntries(mcpServers.map((name) => [name, { enabled: false }])),
    provider: {
      [PROVIDER]: {
        name: "Session Runtime doctor",
        npm: "@ai-sdk/anthropic",
        options: { apiKey: "none", baseURL: url },
        models: { [MODEL]: { name: "Stub", limit: { context: 200_000, output: 4_096 } } },
      },
    },
  };
}

function throwawayPlaces(folder: string) {
  return {
    XDG_DATA_HOME: join(folder, "data"),
    XDG_STATE_HOME: join(folder, "state"),
    // The host unpacks libraries there, and leaves them when it is killed.
    TMPDIR: folder,
    SESSION_RUNTIME_DB: join(folder, "runtime/runtime.db"),
  };
}

/** Says whether a call is the session's own: title calls have no environment block. */
function isMainCall({ system }: WireCall): boolean {
  return system.some((text) => text.includes("You are powered by the model named"));
}

function requireId(session: unknown): string {
  const { id } = toFields(session);
  if (id !== undefined) return String(id);
  throw new HostFailure("It created no session.", "fails", "");
}

function namesIn(list: unknown): readonly string[] {
  if (!Array.isArray(list)) return [];
  return list.map((entry: unknown) => String(toFields(entry).name));
}
