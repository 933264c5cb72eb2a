import { defaults } from "@session-runtime/opencode/config/defaults";
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

const OURS = {
  spec: "/opt/session-runtime",
  source: "/home/me/.config/opencode",
  options: undefined,
  isOurs: true,
};

export const SETTINGS: Facts["settings"] = {
  config: defaults,
  isEnabled: true,
  offBy: null,
  warnings: [],
  layers: [],
  ownFile: "/home/me/.config/opencode/session-runtime.jsonc",
  maintenance: { tasks: [], hasJobsModel: false, isMemoryOn: false },
  logBeside: () => "/home/me/.local/share/session-runtime/runtime.log",
};

const WITHOUT_PI: Facts["pi"] = {
  search: { found: null, looked: ["/usr/bin/pi"], broken: [], others: [] },
  node: null,
  files: [],
  ownSettings: "/home/me/.pi/agent/session-runtime.jsonc",
  entries: [],
  answer: null,
};

/** A set-up in which everything is as it should be, but for what `changes` says. */
export function healthy(changes: Partial<Facts> = {}): Facts {
  const entry = { spec: OURS.spec, list: "plugin", isFile: false };
  const written = [{ path: "/home/me/.config/opencode/opencode.jsonc", ...entry }];
  return {
    command: "npx session-runtime",
    clonePlugin: null,
    env: { HOME: "/home/me" },
    platform: "linux",
    directory: "/home/me/project",
    wrongFolders: [],
    search: {
      found: { path: "/usr/bin/opencode", version: "1.18.33", answeredInMs: 400 },
      looked: ["/usr/bin/opencode"],
      broken: [],
      others: [],
    },
    testedHosts: [{ version: "1.18.33", verdict: "works", failing: [] }],
    configFiles: [],
    written,
    writtenTerminal: [{ path: "/home/me/.config/opencode/tui.json", ...entry }],
    gone: [],
    resolved: {
      kind: "resolved",
      plugins: [OURS],
      mcpServers: [],
      namesModel: false,
      loading: { kind: "done" },
    },
    plugins: [OURS],
    bringsTerminalPart: true,
    importError: null,
    trial: ran(frozenCalls()),
    culprits: [],
    hang: null,
    settings: SETTINGS,
    log: [],
    packages: [],
    database: {
      path: "/home/me/.local/share/session-runtime/runtime.db",
      chosenBy: "default",
      write: { kind: "writable" },
      folderMode: 0o700,
      file: {
        sizeBytes: 4_096,
        mode: 0o600,
        soundness: { state: "sound", reason: "" },
        outbox: null,
        secrets: new Map(),
        sessions: { opencode: 12, pi: 0 },
      },
      badIndex: null,
    },
    team: { kind: "none" },
    models: { named: [], offered: null },
    vectors: { kind: "none" },
    pi: WITHOUT_PI,
    ...changes,
  };
}
