// Recall in one plugin instance: its index, its tools, and what it hears of sessions.
import type { Room } from "../../features/feature.ts";
import type { House } from "../../features/house.ts";
import type { KeepRef } from "../../features/keep-ref.ts";
import { openTool } from "../../features/open-tool.ts";
import { Refusal } from "../../features/refusal.ts";
import { faultFields } from "../../log/fault.ts";
import { folderId, isOwnName, type Project } from "../../project/project.ts";
import { readRef } from "../../projection/ref.ts";
import { StorageError } from "../../storage/errors.ts";
import type { SessionId } from "../../storage/records.ts";
import { Indexer } from "./indexer.ts";
import { Recall } from "./recall.ts";
import { DEFAULT_LINES, expandTool, MAX_LINES, searchTool } from "./tools.ts";

/** Between two slices the host has its turn. */
const PAUSE_MS = 5;

/** A session at rest is asked for so many: its last answer, which no later call has sent yet. */
const NEWEST_MESSAGES = { count: 4, timeoutMs: 5_000 };

/** The end waits so long at most for what is not indexed yet. */
const CLOSING_MS = 1_000;

export async function openRoom(house: House): Promise<Room> {
  const { location, log, now } = house;
  const file = await house.index();
  const failed = (error: unknown) => log.warn("recall.index_failed", faultFields(error));
  const indexer = new Indexer({
    file,
    directory: location.directory,
    failed,
    later: (work) => setTimeout(work, PAUSE_MS).unref(),
    nowMs: () => performance.now(),
  });
  const recall = new Recall({
    file,
    indexer,
    directory: location.directory,
    project: house.project,
    failed,
    finders: house.finders,
    sent: house.sent,
    nowMs: now,
  });
  house.project.whenFound((project) => file.adopt(project.id, formerNames(house, project)));
  return {
    meant: recall.meant,
    indexed: (sessionId) => recall.indexed(sessionId),
    tools: toolsOf(recall, house.keep, failed),
    hooks: {
      sent: ({ sessionId, host }) => recall.sent(sessionId, host),
      async settled(sessionId) {
        const newest = await newestMessages(house, sessionId);
        if (newest) recall.settled(sessionId, newest);
      },
      heard({ kind, sessionId }) {
        if (kind !== "deleted") return;
        try {
          recall.forget(sessionId);
        } catch (error) {
          failed(error);
        }
      },
      async closed() {
        // A process that ends after one answer has that indexed, too.
        await indexer.idle(CLOSING_MS);
        file.close();
      },
    },
  };
}

function formerNames(
  { hostProject, location: { directory } }: House,
  { id, worktree }: Project,
): readonly string[] {
  const names = [folderId(worktree), hostProject];
  return isOwnName(hostProject, id, directory) ? names : names.slice(0, 1);
}

/** Null where the host doesn't say: what is missing is indexed with the next history. */
async function newestMessages({ host, log }: House, sessionId: SessionId) {
  try {
    return await host.messages(sessionId, NEWEST_MESSAGES);
  } catch (error) {
    log.warn("recall.host", faultFields(error));
    return null;
  }
}

function toolsOf(recall: Recall, keep: KeepRef, failed: Failed) {
  return [
    openTool(searchTool, async ({ query, in: within }, { sessionId }) => ({
      title: query.slice(0, TITLE_CHARS),
      text: await answered(failed, () => recall.search(sessionId, query, within ?? "session")),
    })),
    openTool(expandTool, async ({ ref, from, lines, keep: isKept }, { sessionId }) => {
      const text = await answered(failed, () =>
        recall.expand(sessionId, ref, {
          from: from ?? 1,
          lines: Math.min(lines ?? DEFAULT_LINES, MAX_LINES),
        }),
      );
      const read = isKept === true ? readRef(ref) : null;
      const said = read === null ? [] : [await keep(sessionId, read)];
      return { title: ref.slice(0, TITLE_CHARS), text: [text, ...said].join("\n") };
    }),
  ];
}

const TITLE_CHARS = 80;

type Failed = (error: unknown) => void;

/** An index that can't be read now is not a failure of the turn. */
async function answered(failed: Failed, ask: () => Promise<string>): Promise<string> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    failed(error);
    throw new Refusal("The search index can't be read now. Try once more, or go on without it.");
  }
}
