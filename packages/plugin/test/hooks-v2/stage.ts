// A stand-in host with the plugin, over a database in a folder of its own.
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Feature } from "../../src/feature-api/feature.ts";
import { loadFeatures } from "../../src/features/list.ts";
import { setup } from "../../src/hooks-v2/setup.ts";
import plugin from "../../src/index.ts";
import {
  type Answer,
  type HostSettings,
  openHost,
  type SentRequest,
  type V2Host,
  type V2Plugin,
} from "./host.ts";
import { StandIn } from "./stand-in.ts";

/** How long the edge lets the host wait, in milliseconds: `patience.test.ts` compares them with the sources. */
export const HOST_WAITS_MS: ReadonlySet<number> = new Set([500, 2_000, 5_000]);

/** So many times as long a machine may take that does much beside. */
const PATIENCE = 60;

/** Calls of the host that will never be answered, and whose wait has not begun yet. */
let hanging = 0;

/** A call of the host that is never answered. The edge's next wait for the host ends at once. */
export function hangs(): Promise<never> {
  hanging += 1;
  return new Promise<never>(() => undefined);
}

function chooseWaitMs(waitMs: number): number {
  if (!HOST_WAITS_MS.has(waitMs)) return waitMs;
  if (hanging === 0) return waitMs * PATIENCE;
  hanging -= 1;
  return 0;
}

/** What a busy machine is late with is no failure here; a test of lateness has timers of its own. */
function waitLonger(): () => void {
  hanging = 0;
  const wait = globalThis.setTimeout;
  const longer = (work: () => void, waitMs = 0, ...rest: unknown[]) =>
    wait(work, chooseWaitMs(waitMs), ...(rest as []));
  globalThis.setTimeout = Object.assign(longer, wait) as typeof setTimeout;
  return () => {
    globalThis.setTimeout = wait;
  };
}

/** Environment of every test here: nothing of the user's is read or written. */
export function ownFolder(): { readonly path: string; readonly remove: () => void } {
  const hurryAgain = waitLonger();
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-v2-"));
  const former = { data: process.env.XDG_DATA_HOME, config: process.env.XDG_CONFIG_HOME };
  process.env.XDG_DATA_HOME = join(folder, "data");
  process.env.XDG_CONFIG_HOME = join(folder, "config");
  return {
    path: folder,
    remove() {
      hurryAgain();
      restore("XDG_DATA_HOME", former.data);
      restore("XDG_CONFIG_HOME", former.config);
      rmSync(folder, { recursive: true });
    },
  };
}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}

export const LONG = Array.from({ length: 400 }, (_, line) => `line ${line} of a file`).join("\n");

/** Each prompt has the model read `reads` files, then answer. */
export function readingModel(reads: number): (sent: SentRequest) => Answer {
  let read = 0;
  return ({ messages, kind }) => {
    if (kind === "compaction") return { text: "A summary." };
    const since = messages.length - messages.findLastIndex(({ role }) => role === "user");
    const done = Math.floor((since - 1) / 2);
    if (done >= reads) return { text: "Done." };
    read += 1;
    const input = { filePath: `/project/file-${read}.ts` };
    return { text: "I read.", calls: [{ id: `call_${read}`, name: "read", input }] };
  };
}

const createSettings = (
  plugins: readonly V2Plugin[],
  model: HostSettings["model"],
): HostSettings => ({
  plugins,
  model,
  runTool: () => ({ content: LONG }),
});

/** For what no real host could do: histories that were never had, plugins that are no modules. */
export function standIn(
  plugins: readonly V2Plugin[] = [plugin],
  model: (sent: SentRequest) => Answer = readingModel(3),
): StandIn {
  return new StandIn(createSettings(plugins, model));
}

/** The stand-in, or the real host at HOST_V2. */
export function hostWith(
  plugins: readonly V2Plugin[] = [plugin],
  model: (sent: SentRequest) => Answer = readingModel(3),
): V2Host {
  return openHost(createSettings(plugins, model));
}

/** The plugin with one more feature, in the place of one that the edge opens. */
export function withRoom(open: Feature["open"]) {
  return {
    id: "session-runtime",
    setup: (ctx: unknown) =>
      setup(ctx, async () => [...(await loadFeatures({})), { name: "continuity", open }]),
  };
}

/** How many epochs and entries the ledger holds. */
export function ledgerRows(): number {
  const path = join(process.env.XDG_DATA_HOME ?? "", "session-runtime/runtime.db");
  const database = new Database(path, { readonly: true });
  const row = database
    .query("SELECT (SELECT count(*) FROM epoch) + (SELECT count(*) FROM entry) AS rows")
    .get() as { readonly rows: number };
  database.close();
  return row.rows;
}

export const texts = (sent: SentRequest | undefined): string => JSON.stringify(sent?.messages);

/** Whether each message of `former` stands in `later` as it did. */
export function isPrefix(former: SentRequest | undefined, later: SentRequest | undefined): boolean {
  const head = later?.messages.slice(0, former?.messages.length);
  return JSON.stringify(head) === JSON.stringify(former?.messages);
}
