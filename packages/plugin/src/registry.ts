// Public entry for other plugins: `registerSource`, `absent`, `unavailable` and their types.
import { absent, Unavailable as UnavailableWord } from "./context/source.ts";
import { register, type SourceProducer } from "./features/custom-sources/registration.ts";

export { InvalidKeyError } from "./context/key.ts";
export type { Absent, SourceScope } from "./context/source.ts";
export { DuplicateEntryError } from "./context/system-context.ts";
export {
  InvalidProducerError,
  type JsonValue,
  type RegisteredSource,
  type SourceProducer,
} from "./features/custom-sources/registration.ts";

/** The value that a loader returns if it looked and found nothing: what was announced is withdrawn. */
export { absent };

/** The value that `unavailable` returns. */
export type Unavailable = UnavailableWord;

/**
 * Builds the value by which a loader says that it could not observe its source now: what was announced
 * stands. The reason goes to the log and to the user. If a loader throws instead, only the error's class and
 * code are reported.
 */
export function unavailable(reason: string): Unavailable {
  return new UnavailableWord(reason);
}

/**
 * Adds Context Sources to all sessions of this process. Other copies of this module see the same registry.
 * Returns a function that removes the sources; they are gone at the next boundary.
 * @throws InvalidKeyError if the key is not of the form `namespace/name`, or is below `core/`
 * @throws DuplicateEntryError if the key is taken; dispose of the former entry first
 * @throws InvalidProducerError
 */
export function registerSource(entryKey: string, producer: SourceProducer): () => void {
  return register(entryKey, producer, { kind: "all" });
}

/**
 * Adds Context Sources to the sessions of one directory. A plugin that the host starts once for each project
 * needs this, with the `directory` that it was started for.
 * @throws as `registerSource` does; a key is taken per directory
 */
export function registerSourceIn(
  directory: string,
  entryKey: string,
  producer: SourceProducer,
): () => void {
  return register(entryKey, producer, { kind: "one", directory });
}
