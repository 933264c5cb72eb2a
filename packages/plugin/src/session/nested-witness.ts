// Recognises nested instructions that the host showed in read results, as witnesses.
import { decode, hashText } from "../context/canonical.ts";
import { type SourceKey, toSourceKey } from "../context/key.ts";
import type { Snapshot, SnapshotEntry } from "../context/snapshot.ts";
import { observeState } from "../context/system-context.ts";
import type { Draft } from "../ledger/entry.ts";
import { classifyTool } from "../ledger/host-tools.ts";
import { type HostMessage, type HostPart, isTool, stripAdded } from "../ledger/message.ts";
import type { FileCache } from "../sources/file-cache.ts";
import {
  createNestedSource,
  extractNested,
  type NestedInstruction,
  nestedSchema,
  stripNested,
  toNestedKey,
} from "../sources/nested-instructions.ts";
import type { EntryRecord } from "../storage/ledger-table.ts";

/** The result of a read tool, with the instruction files that the host says it appended. */
interface ReadResult {
  readonly output: string;
  readonly loaded: readonly string[];
}

/**
 * Records the nested instructions in the host's own tool results as announced, each anchored at its part.
 * Nothing is added to what is sent.
 */
export function draftNestedWitnesses(
  /** The messages as they are sent; a result that is blanked in them shows nothing. */
  messages: readonly HostMessage[],
  /** The entries on record already; none in a new epoch. */
  recorded: readonly EntryRecord[],
  files: FileCache,
): readonly Draft[] {
  return messages.flatMap((message, index) =>
    message.parts.flatMap((part) => {
      const read = parseReadResult(part);
      if (!read) return [];
      const shownSince = collectRecordedKeys(messages.slice(index), recorded);
      const shown = extractNested(read.output, read.loaded).filter(
        ({ path }) => !shownSince.has(toSourceKey(toNestedKey(path, hashText))),
      );
      return shown.length === 0 ? [] : [createWitness(message.info.id, part.id, shown, files)];
    }),
  );
}

/**
 * Lists the keys that are recorded in these messages. An older copy of their instructions isn't recorded,
 * because that would undo a later announcement.
 */
function collectRecordedKeys(
  messages: readonly HostMessage[],
  recorded: readonly EntryRecord[],
): ReadonlySet<string> {
  const ids = new Set(messages.map(({ info }) => info.id));
  const since = recorded.filter(({ messageId }) => ids.has(messageId));
  return new Set(since.flatMap(({ delta }) => Object.keys(delta)));
}

function createWitness(
  messageId: string,
  partId: string,
  shown: readonly NestedInstruction[],
  files: FileCache,
): Draft {
  const beliefs = shown.map((instruction) => observeInstruction(instruction, files));
  return {
    anchor: { messageId, partId },
    edit: null,
    proposal: null,
    announced: beliefs.map(({ key, text }) => ({ key, text })),
    delta: Object.fromEntries(beliefs.map(({ key, entry }) => [key, entry])),
  };
}

function observeInstruction(
  instruction: NestedInstruction,
  files: FileCache,
): { readonly key: SourceKey; readonly text: string; readonly entry: SnapshotEntry } {
  const definition = createNestedSource(instruction.path, { files, hash: hashText });
  const key = toSourceKey(definition.key);
  const state = observeState(definition, key, instruction);
  if (state.kind !== "present") throw new TypeError(`${key} has a value but no state`);
  return { key, text: state.value.baseline(), entry: state.value.toSnapshotEntry() };
}

const NESTED_PREFIX = "core/nested-instructions/";

/** Lists the nested instruction files that a snapshot holds, which are watched from then on. */
export function listNestedPaths(snapshot: Snapshot): readonly string[] {
  return Object.entries(snapshot).flatMap(([key, entry]) => {
    if (!key.startsWith(NESTED_PREFIX)) return [];
    return decode(nestedSchema, entry.json)?.value.path ?? [];
  });
}

/** Returns a read result without the copies of what the model has received already, word for word. */
export function stripKnownInstructions(
  output: string,
  metadata: unknown,
  snapshot: Snapshot,
): string {
  const loaded = readLoadedPaths(metadata);
  const known = new Map(
    Object.entries(snapshot).map(([key, entry]) => [key as string, entry.json] as const),
  );
  const repeated = extractNested(output, loaded).filter((shown) => {
    const json = known.get(toNestedKey(shown.path, hashText));
    return json !== undefined && decode(nestedSchema, json)?.value.content === shown.content;
  });
  return stripNested(
    output,
    loaded,
    repeated.map((shown) => shown.path),
  );
}

function parseReadResult(part: HostPart): ReadResult | null {
  if (!isTool(part) || classifyTool(part.tool) !== "read" || part.state.status !== "completed")
    return null;
  if (part.state.time.compacted !== undefined) return null;
  const loaded = readLoadedPaths(part.state.metadata);
  return loaded.length === 0 ? null : { output: stripAdded(part, part.state.output), loaded };
}

function readLoadedPaths(metadata: unknown): readonly string[] {
  if (typeof metadata !== "object" || metadata === null || !("loaded" in metadata)) return [];
  const { loaded } = metadata;
  return Array.isArray(loaded) ? loaded.filter((path) => typeof path === "string") : [];
}
