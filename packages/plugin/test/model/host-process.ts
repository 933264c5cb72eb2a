import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashText } from "../../src/context/canonical.ts";
import type { SourceDefinition } from "../../src/context/source.ts";
import { combine, createSystemContext, Registry } from "../../src/context/system-context.ts";
import { LostParts } from "../../src/features/compaction/summary-check.ts";
import { AddedSources } from "../../src/features/custom-sources/added-sources.ts";
import type { BoundaryDecision } from "../../src/ledger/entry.ts";
import type { HostMessage } from "../../src/ledger/message.ts";
import { createPolicies } from "../../src/ledger/policy-list.ts";
import { usualRates } from "../../src/ledger/space.ts";
import type { BoundFailure } from "../../src/session/call-deps.ts";
import { SessionRuntime } from "../../src/session/runtime.ts";
import { FileCache } from "../../src/sources/file-cache.ts";
import { UrlCache } from "../../src/sources/instruction-urls.ts";
import { createDatabase, type RuntimeDatabase } from "../../src/storage/database.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import { withStorageErrors } from "../../src/storage/errors.ts";
import type { SessionId } from "../../src/storage/records.ts";
import { FaultPlan, withFaults } from "../storage/faults.ts";
import { newDatabase } from "../storage/new-database.ts";
import { type HistoryWish, historyPolicies } from "./history-policies.ts";
import { type LocationName, models, type World } from "./world.ts";

export const CACHE_TTL_MS = 300_000;

/** How a run of the model is set up. */
export interface Setting {
  readonly onModelSwitch: "keep" | "fold";
  readonly hostPrune: "on" | "off";
  readonly history: HistoryWish;
  /** Which of the concurrent loads are held up, and for how long; 0: none. */
  readonly loadOrder: number;
  /** The user's own sources. */
  readonly configured: readonly SourceDefinition<string>[];
}

let runtimesMade = 0;

/** One plugin instance: the host makes one per directory. */
export interface Instance {
  /** Tells instances apart: each begins with an empty memory. */
  readonly id: number;
  readonly runtime: SessionRuntime;
  readonly database: RuntimeDatabase;
  readonly files: FileCache;
  /** What boundaries put on record, in order. */
  readonly decided: readonly BoundaryDecision[];
  /** What the space of the newest call was measured on. */
  readonly measured: { projected: readonly HostMessage[] };
}

/** As with files of unguessable names, no text is bounded twice in the same words. */
export function boundAnew(): BoundFailure {
  const counts = new Map<string, number>();
  return (_call, text) => {
    if (text.length <= LIMIT_CHARS) return null;
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    return Promise.resolve(`${text.slice(0, 40)} … in file ${count}`);
  };
}

export const LIMIT_CHARS = 500;

/** A process of the host, with its plugin instances and their connections. */
export class HostProcess {
  readonly plan = new FaultPlan();
  /** What the runtime reported since the process began. */
  readonly failures: unknown[] = [];
  /** Sessions of which it has reported damaged texts. */
  readonly damaged: SessionId[] = [];
  readonly #instances = new Map<LocationName, Instance>();

  constructor(
    private readonly world: World,
    readonly path: string,
    private readonly setting: Setting,
    private readonly boundFailure: BoundFailure,
  ) {}

  in(location: LocationName): Instance {
    const known = this.#instances.get(location);
    if (known) return known;
    const made = this.#make(location);
    this.#instances.set(location, made);
    return made;
  }

  /** Ends without a word: what was not written is lost. */
  kill(): void {
    for (const { database } of this.#instances.values()) database.close();
    this.#instances.clear();
    this.plan.disarm();
  }

  /** Ends in order. */
  stop(): void {
    for (const { runtime } of this.#instances.values()) runtime.turns.flush();
    this.kill();
  }

  #make(location: LocationName): Instance {
    const { world, setting } = this;
    const database = this.#connect();
    const files = new HeldUpFiles(setting.loadOrder);
    const place = world.location(location);
    const decided: BoundaryDecision[] = [];
    const measured: Instance["measured"] = { projected: [] };
    const runtime = new SessionRuntime({
      database: () => database,
      location: place,
      toolTokens: new Map(),
      sources: {
        environment: { ...place, git: "yes", platform: "linux" },
        scope: {
          ...place,
          configDirectory: join(world.home, "config"),
          homeDirectory: world.home,
          projectFiles: "read",
          claudeFiles: "ignored",
          configured: () => [],
        },
        files,
        urls: new UrlCache(),
        now: () => world.nowMs,
        timeZone: null,
        findApiId: async (providerId, modelId) => {
          await holdUp(`${providerId}/${modelId}`, setting.loadOrder);
          const model = Object.values(models).find((one) => one.modelId === modelId);
          return world.catalogue === "up" && model ? model.apiId : null;
        },
        summary: () => new LostParts(() => database),
        added: () =>
          new AddedSources({
            featureInstances:
              setting.configured.length === 0
                ? []
                : [() => combine(setting.configured.map((one) => createSystemContext(one)))],
            registry: new Registry(),
            timeoutMs: 60_000,
          }),
      },
      files,
      settings: {
        cacheTtlMs: CACHE_TTL_MS,
        sourceTimeoutMs: 60_000,
        onModelSwitch: setting.onModelSwitch,
        split: "auto",
        system: "ours",
      },
      hostPrune: () => setting.hostPrune,
      withheld: () => null,
      policies: () => createPolicies(historyPolicies(setting.history, () => world.isWorth)),
      witnesses: () => [],
      measureSpace({ projected }) {
        // The host's own array may be spliced after it.
        measured.projected = [...projected];
        const estimatedTokens = world.isFull ? 1_000 : 10;
        return { estimatedTokens, usableTokens: 1_000, rates: usualRates };
      },
      now: () => world.nowMs,
      defer: () => undefined,
      boundFailure: this.boundFailure,
      textsDamaged: (sessionId) => void this.damaged.push(sessionId),
      sourceFailed: () => undefined,
      sourceBack: () => undefined,
      decided: (_, one) => void decided.push(one),
      storageWorks: () => undefined,
      storageFailed: (error) => void this.failures.push(error),
    });
    runtimesMade += 1;
    return { id: runtimesMade, runtime, database, files, decided, measured };
  }

  #connect(): RuntimeDatabase {
    const driver = withStorageErrors(
      withFaults(openBunDriver(this.path), this.plan),
      this.path,
      () => undefined,
    );
    // Crashes of the model end processes, not machines: nothing of a commit is lost.
    driver.exec("PRAGMA foreign_keys = ON; PRAGMA synchronous = OFF; PRAGMA busy_timeout = 250");
    this.plan.disarm();
    return createDatabase(driver, this.path);
  }
}

/** Loads that finish in another order. */
class HeldUpFiles extends FileCache {
  constructor(private readonly order: number) {
    super();
  }

  override async observe(path: string) {
    await holdUp(path, this.order);
    return super.observe(path);
  }
}

async function holdUp(name: string, order: number): Promise<void> {
  if (order === 0) return;
  const turns = Number.parseInt(hashText(`${order} ${name}`).slice(0, 4), 16) % 4;
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Fresh databases of today's schema, made once and copied. */
export class Databases {
  #made = 0;

  constructor(private readonly folder: string) {}

  fresh(): string {
    this.#made += 1;
    const path = join(this.folder, `${this.#made}.db`);
    writeFileSync(path, newDatabase());
    return path;
  }

  discard(path: string): void {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
  }
}
