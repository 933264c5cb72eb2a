// An error whose message the host's callers can read.

/**
 * The host answers most errors with a bare "Unexpected server error"; those that go by this name it
 * answers with what `toObject` gives (OpenCode 1.18.33, its error middleware).
 */
export class ErrorForHost extends Error {
  override readonly name = "ConfigFrontmatterError";

  toObject() {
    return { name: "UnknownError", data: { message: this.message } };
  }
}
