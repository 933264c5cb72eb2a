// Plays the short session against the real provider.
// Folder: The demo against a real provider.
import type { AssistantMessage } from "@opencode-ai/sdk/v2";
import { computePromptBill, promptTokens, RATES, type Usage } from "../../billing/rates.ts";
import type { MessageWithParts } from "../../client/client.ts";
import { writeFiles } from "../../host/home.ts";
import { STOCK, startHost } from "../../host/host.ts";
import { describeStep, type Step } from "../../scenario/step.ts";
import type { Progress } from "../../terminal/progress.ts";
import { PLUGIN, progressLine } from "../play.ts";
import type { DemoReport, Side } from "../report.ts";
import { askStatus } from "../status.ts";
import type { Account } from "./account.ts";
import { FILES } from "./steps.ts";

/** The short session on both hosts at once. A provider's caches stay apart: the folders differ. */
export async function playLive(
  account: Account,
  steps: readonly Step[],
  progress: Progress,
): Promise<DemoReport> {
  const line = progressLine(steps.length, progress);
  const [without, with_] = await Promise.all([
    play({ account, steps, plugin: [] }, (label) => line.step("without", label)),
    play({ account, steps, plugin: [PLUGIN] }, (label) => line.step("with", label)),
  ]);
  progress.end();
  return {
    host: "OpenCode",
    provider: `${account.providerID}/${account.model}, by its own figures`,
    about: "a short one: edits of AGENTS.md, plan mode there and back, a restart",
    notes: [],
    steps: steps.map((step) => ({ label: describeStep(step) })),
    without: without.side,
    with: with_.side,
    status: with_.status,
  };
}

interface PlayedDemo {
  readonly side: Side;
  readonly status: string | null;
}

interface Play {
  readonly account: Account;
  readonly steps: readonly Step[];
  readonly plugin: readonly string[];
}

async function play(
  { account, steps, plugin }: Play,
  onStep: (label: string) => void,
): Promise<PlayedDemo> {
  const host = await startHost({
    ...STOCK,
    files: FILES,
    plugin,
    providerUrl: "http://127.0.0.1:9",
    config: hostConfig(account),
    env: { [account.keyVariable]: account.key },
  });
  try {
    const { id } = await host.client.createSession();
    const usages: (readonly Usage[])[] = [];
    for (const step of steps) {
      usages.push(await playStep(step));
      onStep(describeStep(step));
    }
    const status = plugin.length > 0 ? await askStatus(host.client, id) : null;
    return { side: toSide(usages, account), status };

    async function playStep(step: Step): Promise<readonly Usage[]> {
      switch (step.type) {
        case "edit":
          writeFiles(host.project, step.files);
          return [];
        case "restart":
          await host.restart({});
          return [];
        case "turn": {
          const before = (await host.client.messages(id)).length;
          const turn = await host.client.promptAsync(id, step.text, { agent: step.agent });
          await turn.settled;
          return (await host.client.messages(id)).slice(before).flatMap(readUsage);
        }
        default:
          throw new Error(`The live session has no step ${step.type}`);
      }
    }
  } finally {
    await host.stop();
  }
}

/** The provider's own figures, as the host keeps them with each answer. */
function readUsage({ info }: MessageWithParts): readonly Usage[] {
  if (info.role !== "assistant") return [];
  if (info.error) throw new Error(`The provider refused a call: ${describeReason(info.error)}`);
  const { input, output, cache } = info.tokens;
  return [
    { inputTokens: input, writeTokens: cache.write, readTokens: cache.read, outputTokens: output },
  ];
}

function describeReason({ name, data }: NonNullable<AssistantMessage["error"]>): string {
  return "message" in data ? `${name}: ${data.message}` : name;
}

function toSide(steps: readonly (readonly Usage[])[], { caching }: Account): Side {
  const rates = RATES[caching];
  const bill = (usages: readonly Usage[]) =>
    usages.reduce((sum, usage) => sum + computePromptBill(usage, rates), 0);
  const prompts = steps.flat().map(promptTokens);
  // Nothing is replaced in this session: each call repeats the one before, and adds to it.
  const ideal = prompts.reduce((sum, prompt, index) => {
    const known = Math.min(prompt, prompts[index - 1] ?? 0);
    return sum + known * rates.read + (prompt - known) * rates.write;
  }, 0);
  return {
    steps: steps.map((usages) => ({
      bill: bill(usages),
      promptTokens: usages.reduce((sum, usage) => sum + promptTokens(usage), 0),
      readTokens: usages.reduce((sum, usage) => sum + usage.readTokens, 0),
    })),
    totals: { bill: bill(steps.flat()), ideal },
  };
}

function hostConfig({ providerID, keyVariable, baseURL, npm, model }: Account) {
  const limit = { context: 200_000, output: 2_000 };
  const models = { [model]: { name: model, tool_call: true, limit } };
  return {
    model: `${providerID}/${model}`,
    small_model: `${providerID}/${model}`,
    provider: {
      [providerID]: { npm, options: { apiKey: `{env:${keyVariable}}`, baseURL }, models },
    },
  };
}
