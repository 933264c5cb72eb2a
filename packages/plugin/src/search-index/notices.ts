// Notices about the index's file for the user.
import { asInstalled } from "../log/command-line.ts";
import type { Notice } from "../log/notices.ts";
import { LOST, type PlaceTaken } from "./place.ts";

export const begunAgain: Notice = {
  code: "recall_index_begun_again",
  severity: "info",
  message:
    "Session Runtime's search index was damaged or from another version, and has been emptied. Sessions are indexed again when they are opened.",
  remedy: `\`${asInstalled("index")}\` indexes all of them now.`,
};

export const PLACE_TAKEN = "recall_place_taken";

export function placeTakenNotice({ message, path }: PlaceTaken): Notice {
  return {
    code: PLACE_TAKEN,
    severity: "warning",
    ends: "by over",
    message: `Session Runtime can't store its search index: ${message} Until this is fixed, ${LOST}.`,
    remedy: `Move it away: mv ${path} ${path}.away`,
  };
}
