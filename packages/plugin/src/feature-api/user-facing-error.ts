// A refusal: what was asked can't be done, and the sentence is for whoever asked.
import type { ActionAnswer } from "./command.ts";

/**
 * Its message is for the model that called a tool, or for the user of a command or of the command line. It
 * is not a failure of ours; nothing was done.
 */
export class UserFacingError extends Error {
  override readonly name = "UserFacingError";
}

/** The request is understood, and its subject does not exist: on the command line a failure, not misuse. */
export class NotFoundError extends UserFacingError {}

/** A command's answer; to the user a refusal is one as well. */
export async function answerWithNote(work: () => string | Promise<string>): Promise<ActionAnswer> {
  try {
    return { text: await work(), shownBy: "note" };
  } catch (error) {
    if (error instanceof UserFacingError) return { text: error.message, shownBy: "note" };
    throw error;
  }
}
