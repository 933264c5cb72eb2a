// A refusal: what was asked can't be done, and the sentence is for whoever asked.
import type { ActionAnswer } from "./command.ts";

/** For the model that called a tool, for the user of a command or of the command line. No failure of ours; nothing was done. */
export class UserFacingError extends Error {
  override readonly name = "Refusal";
}

/** What was asked is understood, and what it is about is not there: on the command line a failure, no misuse. */
export class NotFoundError extends UserFacingError {}

/** A command's answer; to the user a refusal is one as well. */
export async function noted(work: () => string | Promise<string>): Promise<ActionAnswer> {
  try {
    return { text: await work(), shownBy: "note" };
  } catch (error) {
    if (error instanceof UserFacingError) return { text: error.message, shownBy: "note" };
    throw error;
  }
}
