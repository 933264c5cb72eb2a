// Reads the state of each source, for status.
import { compareKeys } from "../context/key.ts";
import type { EntryOverview, EpochOverview } from "../storage/overview-records.ts";
import { type ActiveLedger, resolveEntryState } from "./section.ts";

/** A source that could not be observed at its last boundary. */
export interface FailingSource {
  readonly key: string;
  readonly reason: string;
  readonly sinceMs: number;
}

export type SourceState =
  /** The source was present at the last boundary, and the model knows its value. */
  | { readonly kind: "current" }
  /** The source could not be observed; its last announcement stands. */
  | { readonly kind: "unavailable"; readonly sinceMs: number; readonly reason: string }
  /** The model has been informed that the source is gone. */
  | { readonly kind: "removed" }
  /** The source is as the model last received it; without the running host no more is known. */
  | { readonly kind: "sent" };

export interface SourceStatus {
  readonly key: string;
  readonly state: SourceState;
  /**
   * How often the source was sent in this epoch, the Baseline included, as far as it still stands; 0 if
   * never.
   */
  readonly timesSent: number;
  /** The time when the epoch's Baseline or the first update announced the source; null if neither has. */
  readonly firstSentAtMs: number | null;
  /** The time of the last update that changed what the Baseline says; null if there is none. */
  readonly changedAtMs: number | null;
}

interface SourcesInput {
  readonly epoch: EpochOverview | null;
  /** The epoch's entries, in order. */
  readonly entries: readonly EntryOverview[];
  readonly shown: ActiveLedger | null;
  /** Sources that could not be observed; null without the running host. */
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
      state: toSourceState(made.at(-1), failing.get(key), input),
      timesSent: made.length,
      firstSentAtMs: made[0]?.atMs ?? null,
      changedAtMs: made.findLast(({ place }) => place === "update")?.atMs ?? null,
    };
  });
}

/** Collects statements by key, in order: the Baseline, then every entry that stands. */
function collectStatements({
  epoch,
  entries,
  shown,
}: SourcesInput): Map<string, readonly Statement[]> {
  if (!epoch) return new Map();
  const { startedAtMs: atMs } = epoch;
  const standing = entries.filter((entry) => resolveEntryState(entry, shown) !== "withdrawn");
  const statements: readonly Statement[] = [
    ...epoch.keys.map((key) => ({ key, atMs, place: "baseline", effect: "stated" }) as const),
    ...standing.flatMap(({ changes, decidedAtMs }) =>
      changes.map((change) => ({ ...change, atMs: decidedAtMs, place: "update" }) as const),
    ),
  ];
  return Map.groupBy(statements, ({ key }) => key);
}

function toSourceState(
  last: Statement | undefined,
  failure: FailingSource | undefined,
  { failing }: SourcesInput,
): SourceState {
  if (failure) return { kind: "unavailable", sinceMs: failure.sinceMs, reason: failure.reason };
  if (last?.effect === "removed") return { kind: "removed" };
  return failing ? { kind: "current" } : { kind: "sent" };
}
