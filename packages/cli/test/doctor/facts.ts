import type { Facts } from "../../src/doctor/facts/facts.ts";
import type { WireCall } from "../../src/live/stub-provider.ts";
import { FIRST_WORD, PROMPTS, SECOND_WORD, type Trial } from "../../src/live/trial.ts";

const ENVIRONMENT = "You are powered by the model named Stub.";
const UPDATE = `<system-update>\n${SECOND_WORD}\n</system-update>`;

/** The calls that a frozen prompt gives: each one begins with the one before. */
export function frozenCalls(): readonly WireCall[] {
  const messages = PROMPTS.flatMap((text, index) => [
    { role: "user", texts: index === 1 ? [text, UPDATE] : [text] },
    { role: "assistant", texts: ["OK"] },
  ]);
  const system = [`${ENVIRONMENT}\n${FIRST_WORD}`];
  return PROMPTS.map((_, index) => ({ system, messages: messages.slice(0, index * 2 + 1) }));
}

export function ran(calls: readonly WireCall[], commands = ["ctx-status"]): Trial {
  return { kind: "ran", calls, commands, log: "", durationMs: 1 };
}

const OURS = { spec: "/opt/session-runtime", source: "/home/me/.config/opencode", isOurs: true };

/** A set-up in which everything is as it should be, but for what `changes` says. */
export function healthy(changes: Partial<Facts> = {}): Facts {
  const written = [{ path: "/home/me/.config/opencode/opencode.jsonc", spec: OURS.spec }];
  return {
    env: { HOME: "/home/me" },
    platform: "linux",
    directory: "/home/me/project",
    search: {
      found: { path: "/usr/bin/opencode", version: "1.18.33" },
      looked: ["/usr/bin/opencode"],
      broken: [],
    },
    testedHosts: [{ version: "1.18.33", verdict: "works", failing: [] }],
    configFiles: [],
    written,
    writtenTerminal: [{ path: "/home/me/.config/opencode/tui.json", spec: OURS.spec }],
    resolved: { kind: "resolved", plugins: [OURS], mcpServers: [] },
    plugins: [OURS],
    bringsTerminalPart: true,
    importError: null,
    trial: ran(frozenCalls()),
    culprits: [],
    settings: { isEnabled: true, warnings: [] },
    packages: [],
    database: {
      kind: "present",
      path: "/home/me/.local/share/session-runtime/runtime.db",
      sizeBytes: 4_096,
      fileMode: 0o600,
      folderMode: 0o700,
      soundness: { state: "sound", reason: "" },
    },
    ...changes,
  };
}
