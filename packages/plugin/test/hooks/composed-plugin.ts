import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Hooks, PluginInput } from "@opencode-ai/plugin";
import type { Points } from "../../src/feature-api/extension-point.ts";
import {
  type Feature,
  type FeatureInstance,
  loadStatusSections,
} from "../../src/feature-api/feature.ts";
import { ExtensionRegistry, type OpenFeature } from "../../src/feature-api/open-features.ts";
import { createCompactionFeature } from "../../src/features/compaction/create-compaction.ts";
import { compactionFeature } from "../../src/features/compaction/feature.ts";
import { createInboxFeature } from "../../src/features/inbox/create-inbox.ts";
import { inboxFeature } from "../../src/features/inbox/feature.ts";
import { createInstructionRoleFeature } from "../../src/features/instruction-role/create-instruction-role.ts";
import { instructionRoleFeature } from "../../src/features/instruction-role/feature.ts";
import { loadFeatures } from "../../src/features/list.ts";
import { createToolOutputFeature } from "../../src/features/tool-output/create-tool-output.ts";
import { toolOutputFeature } from "../../src/features/tool-output/feature.ts";
import { createTracingFeature } from "../../src/features/tracing/create-tracing.ts";
import { tracingFeature } from "../../src/features/tracing/feature.ts";
import {
  type ComposedPlugin,
  composePlugin,
  createOpenCodeParts,
} from "../../src/hooks/compose.ts";
import { createHooks } from "../../src/hooks/hooks.ts";
import { HostConfig } from "../../src/hooks/host-config.ts";
import { skipJobSessions } from "../../src/hooks/job-calls.ts";
import type { OpenCode } from "../../src/hooks/opencode-host.ts";
import { textsShownInProcess } from "../../src/log/notices.ts";
import { composeInstance } from "../../src/runtime/instance.ts";
import type { StartupConfig } from "../../src/runtime/startup-config.ts";
import { type Row, Rows } from "../model/rows.ts";
import { models, START_MS, World } from "../model/world.ts";
import { newDatabase } from "../storage/new-database.ts";
import { resolveConfig } from "../whole-config.ts";

type Hook<Name extends keyof Hooks> = NonNullable<Hooks[Name]>;
type HostMessages = Parameters<Hook<"experimental.chat.messages.transform">>[1]["messages"];
type SystemInput = Parameters<Hook<"experimental.chat.system.transform">>[0];
type ArrivedPrompt = Parameters<Hook<"chat.message">>[1];
export type HostEvent = Parameters<Hook<"event">>[0]["event"];

export const author = { agent: "build", model: "opus" } as const;
const { providerId, modelId, apiId, npm } = models.opus;

/** The host's row of the model that the author writes to, as far as hooks read it. */
export const model = {
  ...{ id: modelId, providerID: providerId, api: { id: apiId, npm, url: "" } },
  capabilities: { temperature: true },
  cost: { input: 5, output: 25, cache: { read: 0.5, write: 6.25 } },
};

const listed = await loadFeatures(process.env);
const sections = await loadStatusSections(listed);

/** Features are opened by hand: their features would load them later. */
function composeWith(
  openCode: OpenCode,
  startup: StartupConfig,
  own: readonly FeatureInstance[],
  points: Points,
): ComposedPlugin {
  const parts = createOpenCodeParts(openCode, startup.configured);
  const featureInstances: OpenFeature[] = [];
  const provided = new ExtensionRegistry();
  const composed = { ...startup, featureInstances, provided, sections };
  const { instance, context } = composeInstance(parts.host, composed);
  const open = ({ name, provides = {} }: Feature, feature: FeatureInstance): OpenFeature => {
    return { feature: name, points: provides, ...feature };
  };
  featureInstances.push(
    open(tracingFeature, createTracingFeature(context)),
    open(inboxFeature, createInboxFeature(context)),
    open(compactionFeature, createCompactionFeature(context)),
    open(toolOutputFeature, createToolOutputFeature(context)),
    open(instructionRoleFeature, createInstructionRoleFeature(context)),
    ...own.map((feature) => ({ feature: "test", points, ...feature })),
  );
  provided.add(featureInstances);
  return composePlugin({ ...instance, offCommands: new Map() }, parts);
}

/** The plugin as the host gets it, over a database of its own, in the model's world. */
export class PluginStage {
  readonly world = new World();
  /** Of the session whose calls are made. */
  rows = new Rows("ses_1");
  readonly toasts: string[] = [];
  readonly plugin: ComposedPlugin;
  readonly hooks: Hooks;
  readonly databasePath: string;
  readonly #folder = mkdtempSync(join(tmpdir(), "session-runtime-hooks-"));

  /** @param points the keys of what the features provide */
  constructor(featureInstances: readonly FeatureInstance[] = [], points: Points = {}) {
    this.databasePath = join(this.#folder, "runtime.db");
    writeFileSync(this.databasePath, newDatabase(), { mode: 0o600 });
    const { configured, hostConfig } = this.#settings();
    const input = this.#input();
    // What is told once per process is to be told once per test.
    textsShownInProcess.clear();
    this.plugin = this.#inItsWorld(() =>
      composeWith(
        { input, hostConfig },
        { configured, listed, offered: listed, features: [] },
        featureInstances,
        points,
      ),
    );
    const hooks = createHooks(this.plugin, [
      inboxFeature,
      compactionFeature,
      toolOutputFeature,
      instructionRoleFeature,
    ]);
    this.hooks = skipJobSessions(hooks, this.plugin);
  }

  /** A prompt as the host takes it: the hook, then its row in the history. */
  async prompt(text: string): Promise<Row> {
    const row = this.rows.user(author, this.world.nowMs, text);
    const { info, parts } = structuredClone(row);
    const arrived = { message: info, parts } as unknown as ArrivedPrompt;
    await this.hooks["chat.message"]?.({ sessionID: this.rows.sessionId }, arrived);
    return row;
  }

  /** The history as the host gives it to one call. */
  history(): HostMessages {
    return this.rows.visible() as unknown as HostMessages;
  }

  /** The host's own system strings now. */
  system(): string[] {
    const call = { location: "app", own: null, ...author } as const;
    const text = this.world.systemString(call);
    return [text.replace("Platform: linux", `Platform: ${process.platform}`)];
  }

  /** Both transforms of one model call; what they leave of the host's input. */
  async call(): Promise<{ readonly messages: HostMessages; readonly system: string[] }> {
    const messages = this.history();
    await this.hooks["experimental.chat.messages.transform"]?.({}, { messages });
    const system = this.system();
    await this.hooks["experimental.chat.system.transform"]?.(this.systemInput(), { system });
    return { messages, system };
  }

  async hear(event: HostEvent): Promise<void> {
    await this.hooks.event?.({ event });
  }

  /** The answer to the newest call, with the provider's figures, as the host's bus tells it. */
  async answered(inputTokens: number): Promise<void> {
    const { info } = this.rows.assistant(author, Date.now(), { finish: "stop" });
    const tokens = { input: inputTokens, output: 5, reasoning: 0, cache: { read: 0, write: 0 } };
    // Without what it cost, as no host reports it, its figures could not be stored.
    const properties = { info: { ...info, id: "msg_answer", tokens, cost: 0.01 } };
    await this.hear({ type: "message.updated", properties } as unknown as HostEvent);
  }

  systemInput(): SystemInput {
    return { sessionID: this.rows.sessionId, model: model as unknown as SystemInput["model"] };
  }

  /** The lines of the log so far. */
  async log(): Promise<readonly Record<string, unknown>[]> {
    await this.plugin.log.flush();
    const text = readFileSync(join(this.#folder, "runtime.log"), "utf8");
    return text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  }

  async close(): Promise<void> {
    await this.hooks.dispose?.();
    this.world.dispose();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #settings() {
    // On a machine that is taken by others a source is late and not unavailable.
    const observation = { timeoutMs: 20_000 };
    const value = { storage: { path: this.databasePath }, observation };
    return {
      configured: {
        ...resolveConfig([{ file: "test", scope: "user", findLine: () => null, value }]),
        files: ["test"],
      },
      hostConfig: new HostConfig(this.world.location("app").directory),
    };
  }

  #input(): PluginInput {
    const offered = { id: providerId, models: { [modelId]: { api: { id: apiId } } } };
    const client = {
      tui: {
        showToast: async ({ body }: { body: { message: string } }) =>
          void this.toasts.push(body.message),
      },
      config: { providers: async () => ({ data: { providers: [offered] } }) },
      session: {
        status: async () => ({ data: {} }),
        messages: async () => ({ data: [] }),
        list: async () => ({ data: [] }),
        // A model that never answers: whoever waits for it doesn't come to an end.
        create: async () => ({ data: { id: "ses_child" } }),
        prompt: () => new Promise(() => undefined),
        abort: async () => ({ data: true }),
        delete: async () => ({ data: true }),
      },
    };
    const place = this.world.location("app");
    return { client, project: { vcs: "git" }, ...place } as unknown as PluginInput;
  }

  /** The plugin reads its environment as it is composed: the user's own files and clock are none of it. */
  #inItsWorld<T>(work: () => T): T {
    const clock = join(this.#folder, "clock");
    writeFileSync(clock, String(START_MS - Date.now()));
    const own = {
      OPENCODE_CONFIG_DIR: join(this.world.home, "config"),
      OPENCODE_TEST_HOME: this.world.home,
      OPENCODE_DISABLE_PROJECT_CONFIG: "",
      SESSION_RUNTIME_TEST: "1",
      SESSION_RUNTIME_TEST_CLOCK: clock,
    };
    const before = Object.keys(own).map((name) => [name, process.env[name]] as const);
    Object.assign(process.env, own);
    try {
      return work();
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  }
}
