// Search hints in one plugin instance: looks as a prompt arrives, says it at the prompt's first boundary.
import type { Room } from "../features/feature.ts";
import type { House } from "../features/house.ts";
import { Newest } from "../features/newest.ts";
import type { SentHistory } from "../features/room-hooks.ts";
import { settingsOf } from "../features/settings.ts";
import type { ArrivingPrompt } from "../inbox/arrival.ts";
import { faultFields } from "../log/fault.ts";
import { shownPartIds } from "../recall/recall.ts";
import { recallIndex } from "../recall/schema.ts";
import { recallSettings } from "../recall/settings.ts";
import { within } from "../sources/within.ts";
import type { SessionId } from "../storage/records.ts";
import { findHint, type Hint } from "./find.ts";
import { searchHints } from "./policy.ts";
import { LEAST_SCORE } from "./score.ts";

/** A prompt waits no longer for its hint. */
const PATIENCE_MS = 200;
const HELD_PROMPTS = 64;
/** Histories are large: only of sessions that are at work is it known what they show. */
const HELD_SESSIONS = 8;

export async function openRoom(house: House): Promise<Room> {
  const { config, database, finders, log, project } = house;
  if (!settingsOf(config, recallSettings).enabled) return {};
  const begunAgain = () => log.info("search_hints.index_begun_again", {});
  const file = await recallIndex(database.path, begunAgain);
  const found = new Newest<string, Hint>(HELD_PROMPTS);
  const sent = new Newest<SessionId, SentHistory>(HELD_SESSIONS);
  const look = async ({ sessionId, message, parts }: ArrivingPrompt) => {
    const shown = shownPartIds(sent.get(sessionId));
    const hint = await findHint({ finders, file }, { sessionId, project }, textOf(parts), shown);
    if (hint !== null && hint.score >= LEAST_SCORE) found.set(message.id, hint);
  };
  return {
    policies: [searchHints((messageId) => found.get(messageId) ?? null)],
    hooks: {
      async arriving(prompt) {
        try {
          await within(PATIENCE_MS, look(prompt), () => undefined);
        } catch (error) {
          // A prompt without its hint is an ordinary one.
          log.warn("search_hints.failed", faultFields(error));
        }
      },
      sent: (history) => void sent.set(history.sessionId, history),
      heard({ kind, sessionId }) {
        if (kind === "deleted") sent.delete(sessionId);
      },
      closed: () => file.close(),
    },
  };
}

/** What a person wrote of it. */
function textOf(parts: ArrivingPrompt["parts"]): string {
  return parts
    .flatMap((part) => {
      const text: unknown = Reflect.get(part, "text");
      const isOwn = part.type === "text" && Reflect.get(part, "synthetic") !== true;
      return isOwn && typeof text === "string" ? [text] : [];
    })
    .join("\n");
}
