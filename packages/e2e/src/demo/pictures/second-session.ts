// Two sessions of one project: what the second one knows at its first call, with and without memory.
import { computePromptBill, RATES } from "../../billing/rates.ts";
import type { PluginEntry } from "../../host/host.ts";
import { openBench } from "../../open.ts";
import { billed, type CallRecord } from "../../provider/record.ts";
import { calls, type ScriptedCall, say } from "../../provider/reply.ts";
import { PLUGIN } from "../play.ts";

const FACTS = [
  "The staging database listens on port 5433.",
  "The build needs Node 20.11 or later.",
  "Every migration is reviewed by two people before it is merged.",
  "Tables have singular names, and their keys end with _id.",
  "Webhooks are stored by the gateway, then sent by the courier.",
  "Retries of a webhook stop after 72 hours.",
  "Amounts are integers, in cents; a refund is negative.",
  "The search index is rebuilt each night at 03:15 UTC.",
  "Snapshots of the browser are taken at 1280 pixels only.",
  "Feature flags begin with ff_ and the name of the team.",
] as const;

/** Of each of the files in which a fact has to be looked up. */
const FILE_LINES = 60;

interface SecondSession {
  /** Facts in the first request of the second session. */
  readonly known: number;
  readonly facts: number;
  readonly calls: number;
  /** In equivalents of an uncached input token: the second session, and both. */
  readonly bill: number;
  readonly both: number;
}

export interface MemoryReport {
  readonly without: SecondSession;
  readonly with: SecondSession;
}

export async function playMemory(): Promise<MemoryReport> {
  return { without: await play([]), with: await play([PLUGIN]) };
}

const files = Object.fromEntries(FACTS.map((fact, index) => [docPath(index), fileWith(fact)]));

async function play(plugin: readonly PluginEntry[]): Promise<SecondSession> {
  const { host, provider, close } = await openBench({ plugin, files });
  const { client, project } = host;
  const look = calls(
    ...FACTS.map((_, index): ScriptedCall => {
      const filePath = `${project}/${docPath(index)}`;
      return { name: "read", input: { filePath } };
    }),
  );
  const keep = calls(
    ...FACTS.map((text): ScriptedCall => {
      const input = { action: "write", category: "CONSTRAINTS", text };
      return { name: "ctx_memory", input };
    }),
  );
  try {
    const first = await client.createSession();
    provider.script.queueFor(first.id, look, ...(plugin.length > 0 ? [keep] : []), say("I know."));
    await client.prompt(first.id, "Find out how this project works.");
    const second = await client.createSession();
    // A model that has the facts answers; one that doesn't looks them up again.
    provider.script.respond("main", (record) =>
      countKnownFacts(record) > 0 ? say("I know.") : look,
    );
    await client.prompt(second.id, "How does this project work?");
    const asked = provider.listCalls(second.id, "main");
    const [opening] = asked;
    if (!opening) throw new Error("The second session made no call.");
    const bill = billOfAll(asked);
    return {
      known: FACTS.filter((fact) => opening.system.includes(fact)).length,
      facts: FACTS.length,
      calls: asked.length,
      bill,
      both: bill + billOfAll(provider.listCalls(first.id, "main")),
    };
  } finally {
    await close();
  }
}

function countKnownFacts({ body }: Pick<CallRecord, "body">): number {
  const text = JSON.stringify(body);
  return FACTS.filter((fact) => text.includes(fact)).length;
}

function billOfAll(records: readonly CallRecord[]): number {
  return billed(records).reduce(
    (sum, { usage }) => sum + computePromptBill(usage, RATES.breakpoints),
    0,
  );
}

function docPath(index: number): string {
  return `docs/part-${index + 1}.md`;
}

/** The fact in the middle of what has nothing to do with it. */
function fileWith(fact: string): string {
  const filler = Array.from(
    { length: FILE_LINES },
    (_, index) => `Step ${index + 1} of this part is described in the handbook of its team.`,
  );
  return `${filler.toSpliced(FILE_LINES / 2, 0, fact).join("\n")}\n`;
}
