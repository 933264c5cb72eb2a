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

/** A loader's word that it looked and there is nothing: what was announced is taken back. */
export { absent };

/** What `unavailable` gives. */
export type Unavailable = UnavailableWord;

/**
 * A loader's word that it could not observe now: what was announced stands. The reason goes to the log and to
 * the user; of an error that a loader throws, its class and code alone.
 */
export function unavailable(reason: string): Unavailable {
  return new UnavailableWord(reason);
}

/**
 * Adds Context Sources to all sessions of this process. Other copies of this module see the same
 * registry. Gives back the disposer: at the next boundary the sources are gone.
 * @throws InvalidKeyError where the key is not of the form `namespace/name`, or below `core/`
 * @throws DuplicateEntryError where the key is taken; dispose the former entry first
 * @throws InvalidProducerError
 */
export function registerSource(entryKey: string, producer: SourceProducer): () => void {
  return register(entryKey, producer, { kind: "all" });
}

/**
 * The same for the sessions of one directory: what a plugin wants that the host starts once for
 * each project, with the `directory` that it was started for.
 * @throws as registerSource; the key is taken per directory
 */
export function registerSourceIn(
  directory: string,
  entryKey: string,
  producer: SourceProducer,
): () => void {
  return register(entryKey, producer, { kind: "one", directory });
}
