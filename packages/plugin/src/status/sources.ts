// The state of each source, for status.
import { compareKeys } from "../context/key.ts";
import type { EntryOverview, EpochOverview } from "../storage/overview-records.ts";
import { type ActiveLedger, entryStatus } from "./active-ledger.ts";

/** A source that could not be observed at its last boundary. */
export interface FailingSource {
  readonly key: string;
  readonly reason: string;
  readonly sinceMs: number;
}

export type SourceState =
  /** It was there at the last boundary, and the model knows its value. */
  | { readonly kind: "current" }
  /** It could not be observed; what was announced of it stands. */
  | { readonly kind: "unavailable"; readonly sinceMs: number; readonly reason: string }
  /** The model has been informed that it is gone. */
  | { readonly kind: "removed" }
  /** As the model last received it; without the running host there is no more to say. */
  | { readonly kind: "sent" };

export interface SourceStatus {
  readonly key: string;
  readonly state: SourceState;
  /** In this epoch, the Baseline included, as far as it stands. 0: not announced yet. */
  readonly timesSent: number;
  /** When the epoch's Baseline or the first update announced it. */
  readonly firstSentAtMs: number | null;
  /** The last update that changed what the Baseline says; null: none. */
  readonly changedAtMs: number | null;
}

interface SourcesInput {
  readonly epoch: EpochOverview | null;
  /** Those of the epoch, in order. */
  readonly entries: readonly EntryOverview[];
  readonly shown: ActiveLedger | null;
  /** Null without the running host. */
  readonly failing: readonly FailingSource[] | null;
}

interface Statement {
  readonly key: string;
  readonly atMs: number;
  readonly place: "baseline" | "update";
  readonly effect: "stated" | "removed";
}

export function readSources(input: SourcesInput): readonly SourceStatus[] {
  const statements = collectStatements(input);
  const failing = new Map<string, FailingSource>(
    (input.failing ?? []).map((health) => [health.key, health]),
  );
  const keys = [...new Set([...statements.keys(), ...failing.keys()])].sort(compareKeys);
  return keys.map((key) => {
    const made = statements.get(key) ?? [];
    return {
      key,
      state: describeState(made.at(-1), failing.get(key), input),
      timesSent: made.length,
      firstSentAtMs: made[0]?.atMs ?? null,
      changedAtMs: made.findLast(({ place }) => place === "update")?.atMs ?? null,
    };
  });
}

/** By key, in order: the Baseline, then every entry that stands. */
function collectStatements({
  epoch,
  entries,
  shown,
}: SourcesInput): Map<string, readonly Statement[]> {
  if (!epoch) return new Map();
  const { startedAtMs: atMs } = epoch;
  const standing = entries.filter((entry) => entryStatus(entry, shown) !== "withdrawn");
  const statements: readonly Statement[] = [
    ...epoch.keys.map((key) => ({ key, atMs, place: "baseline", effect: "stated" }) as const),
    ...standing.flatMap(({ changes, decidedAtMs }) =>
      changes.map((change) => ({ ...change, atMs: decidedAtMs, place: "update" }) as const),
    ),
  ];
  return Map.groupBy(statements, ({ key }) => key);
}

function describeState(
  last: Statement | undefined,
  failure: FailingSource | undefined,
  { failing }: SourcesInput,
): SourceState {
  if (failure) return { kind: "unavailable", sinceMs: failure.sinceMs, reason: failure.reason };
  if (last?.effect === "removed") return { kind: "removed" };
  return failing ? { kind: "current" } : { kind: "sent" };
}
