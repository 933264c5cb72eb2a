// Decides which parts the user, the model or the settings keep: no drop takes and no fold covers them.
import * as z from "zod";
import type { Hold } from "../ledger/edit.ts";
import type { HostMessage, HostPart } from "../ledger/message.ts";
import type { BoundaryView, Proposal } from "../ledger/policy.ts";
import type { MessageMeasure } from "./measured-history.ts";
import { isEndedCall } from "./results.ts";
import type { HistorySettings, KeepRules } from "./settings.ts";
import { resolveSubject, type Subject } from "./subject.ts";

/** Names the kind of proposal that keeps parts, or releases them. */
export const KEEP_PROPOSAL = "keep";

/** A request to keep or release parts. It names them by id, since a part's text can't be trusted to do so. */
export interface KeepRecord {
  readonly partIds: readonly string[];
  /** `kept` brings the parts back to their places for good; `free` lets them be dropped again. */
  readonly hold: Hold;
}

const keepSchema: z.ZodType<KeepRecord> = z.object({
  partIds: z.array(z.string()),
  hold: z.enum(["kept", "free"]),
});

/** Reads a keep request; null if it is another kind of proposal, or was stored in another version's shape. */
export function parseKeepRecord({
  kind,
  output,
}: Pick<Proposal, "kind" | "output">): KeepRecord | null {
  if (kind !== KEEP_PROPOSAL) return null;
  const read = keepSchema.safeParse(output);
  return read.success ? read.data : null;
}

/**
 * Collects the ids of parts that are kept by their ref: those on record, and those that this boundary is about
 * to take.
 */
export function collectKeptIds({
  standing,
  proposals,
}: Pick<BoundaryView, "standing" | "proposals">): ReadonlySet<string> {
  const kept = new Set(
    standing.flatMap(({ edit }) =>
      edit?.verb === "restore" && edit.hold === "kept" ? [edit.at.partId] : [],
    ),
  );
  for (const proposal of proposals) {
    const { partIds, hold } = parseKeepRecord(proposal) ?? NOTHING_KEPT;
    for (const id of partIds) {
      if (hold === "kept") kept.add(id);
      else kept.delete(id);
    }
  }
  return kept;
}

const NOTHING_KEPT: KeepRecord = { partIds: [], hold: "free" };

/** Returns true if a part of this message stays as it is sent. */
export type IsPartKept = (part: HostPart, message: HostMessage) => boolean;

const isNeverKept: IsPartKept = () => false;

export function createKeptTest(kept: ReadonlySet<string>, settings: HistorySettings): IsPartKept {
  const { keep } = settings;
  if (kept.size === 0 && keep === null) return isNeverKept;
  return (part, message) =>
    kept.has(part.id) || (keep !== null && isKeptByRule(part, message, keep, settings));
}

/** Returns true if the settings keep the result of this call. */
export function isKeptByRule(
  part: HostPart,
  message: HostMessage,
  keep: KeepRules,
  { measure, directory }: Pick<HistorySettings, "measure" | "directory">,
): boolean {
  if (!isEndedCall(part)) return false;
  if (keep.tool(part.tool)) return true;
  const subject = findSubject(part, message, measure(message));
  return subject !== null && listFilesWithin(subject, directory).some(keep.file);
}

function findSubject(
  part: HostPart,
  { parts }: HostMessage,
  measured: MessageMeasure,
): Subject | null {
  const at = parts.findIndex(({ id }) => id === part.id);
  return measured.parts[at]?.call?.subject ?? null;
}

/** Lists the files within the directory, relative to it. */
function listFilesWithin(subject: Subject, directory: string): readonly string[] {
  const placed = resolveSubject(subject, directory);
  const folder = `${directory.replaceAll("\\", "/").replace(/\/$/, "")}/`;
  const relativeTo = (path: string) => (path.startsWith(folder) ? [path.slice(folder.length)] : []);
  switch (placed.kind) {
    case "read":
      return relativeTo(placed.path);
    case "change":
      return placed.paths.flatMap(relativeTo);
    case "run":
    case "todos":
    case "skill":
    case "other":
      return [];
  }
}
