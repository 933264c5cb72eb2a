// A refusal: what was asked can't be done, and the message is a sentence for whoever asked.
import type { ActionAnswer } from "./command.ts";

/**
 * An error whose message is for the model that called a tool, or for the user of a command or of the command
 * line. It is not a failure of ours, and nothing was done.
 */
export class UserFacingError extends Error {
  override readonly name = "UserFacingError";
}

/** The request is understood but its subject does not exist: on the command line a failure, not misuse. */
export class NotFoundError extends UserFacingError {}

/** Turns work into a command's answer; to the user, a refusal is an answer as well. */
export async function answerWithNote(work: () => string | Promise<string>): Promise<ActionAnswer> {
  try {
    return { text: await work(), shownBy: "note" };
  } catch (error) {
    if (error instanceof UserFacingError) return { text: error.message, shownBy: "note" };
    throw error;
  }
}
