// An error whose message the host's callers can read.

/**
 * Carries a message to the host's callers. The host answers most errors with a bare "Unexpected server error",
 * and errors of this name with the result of `toObject` (OpenCode 1.18.33, its error middleware).
 */
export class ErrorForHost extends Error {
  override readonly name = "ConfigFrontmatterError";

  toObject() {
    return { name: "UnknownError", data: { message: this.message } };
  }
}
