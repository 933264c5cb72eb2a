// The plugin's time per call with thousands of memories, and without memory.

import { createSqliteMemoryStore } from "@session-runtime/opencode/features/memory/sqlite-store";
import { openRuntimeDatabase } from "@session-runtime/opencode/storage/open";
import { PLUGIN } from "../../demo/play.ts";
import { type Host, STOCK, startHost } from "../../host/host.ts";
import { PROJECT } from "../../scenario/catalogue.ts";
import { importLongSession } from "../long-session.ts";
import { startMuteProvider } from "../mute-provider.ts";
import { newSampleFile, readSamples, timedPluginWith, toTimedPasses } from "../samples.ts";
import { schema } from "../schema.ts";

const MESSAGES = 300;
const STEPS = 30;
const WARM_UP_TURNS = 5;
const TURNS = 4;
/** The plugin writes a call down some 30 ms after its send. */
const SETTLE_MS = 500;

/** Whether the session begins with the memories, or receives them by an update. */
type Load =
  | { readonly kind: "off" }
  | { readonly kind: "known" | "announced"; readonly memories: number };

/** Milliseconds of each pass in which nothing has changed. */
export async function measureMemoryPasses(load: Load): Promise<readonly number[]> {
  const provider = await startMuteProvider(() => 0);
  const samples = newSampleFile();
  const options = { memory: { enabled: load.kind !== "off" }, history: { rewrite: "off" } };
  const host = await startHost({
    ...STOCK,
    files: PROJECT,
    providerUrl: provider.url,
    config: { compaction: { auto: false } },
    plugin: [timedPluginWith(options, PLUGIN, samples)],
  });
  try {
    const turn = async (session: string) => {
      const before = readSamples(samples).length;
      provider.nextTurn(
        Array.from({ length: STEPS }, (_, step) => ({
          name: "read",
          input: { filePath: `${host.project}/src/part${(step % 14) + 1}.ts`, limit: 5 },
        })),
      );
      const running = await host.client.promptAsync(session, "Look at all", { agent: "build" });
      await running.settled;
      await Bun.sleep(SETTLE_MS);
      return toTimedPasses(readSamples(samples).slice(before)).map(({ hooksMs }) => hooksMs);
    };
    // A project is known by its first session.
    const first = await importLongSession(host, MESSAGES);
    await turn(first);
    if (load.kind !== "off") await seedMemories(host, load.memories);
    const measured = load.kind === "known" ? await importLongSession(host, MESSAGES) : first;
    for (let number = 0; number < WARM_UP_TURNS; number += 1) await turn(measured);
    const steady: number[] = [];
    for (let number = 0; number < TURNS; number += 1) {
      steady.push(...(await turn(measured)).slice(1));
    }
    return steady;
  } finally {
    await host.stop();
    await provider.stop();
  }
}

async function seedMemories(host: Host, count: number): Promise<void> {
  const { database } = await openRuntimeDatabase({ schema, path: host.home.database });
  try {
    const store = database.store(createSqliteMemoryStore);
    const project = await store.knownAt(host.project);
    if (project === null) throw new Error("The project is not known");
    const changes = Array.from({ length: count }, (_, number) => ({
      kind: "add" as const,
      wording: {
        ...({ category: "NAMING", importance: number % 100, permanence: "ordinary" } as const),
        text: `Part ${number} listens on port ${number + 10_000}.`,
      },
    }));
    await store.apply(project, changes, { by: "import", sessionId: null, segment: null, nowMs: 1 });
  } finally {
    database.close();
  }
}
