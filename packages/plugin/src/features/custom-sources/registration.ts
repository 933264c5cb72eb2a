// The shapes of registered sources, and the registry of the process.
import { InvalidKeyError, isSourceKey } from "../../context/key.ts";
import type { Absent, SourceScope, Unavailable } from "../../context/source.ts";
import { Registry } from "../../context/system-context.ts";

/** A value that JSON can hold. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** A Context Source as another plugin gives it: plain data and functions, and no schema unless wanted. */
export interface RegisteredSource<Value extends JsonValue = JsonValue> {
  /** Namespaced, like `team/oncall`; not below `core/`. */
  readonly key: string;
  /** Gives the value, `absent` where there is none, `unavailable(reason)` where it can't observe it now. */
  load(): Value | Absent | Unavailable | Promise<Value | Absent | Unavailable>;
  /** Text that states the value when it is first announced. */
  baseline(current: Value): string;
  /** Text that states the newly effective value. */
  update(previous: Value, current: Value): string;
  /** Text that takes the value back; a source without one needs a new epoch to go away. */
  removed?(previous: Value): string;
  /** Milliseconds after which this source counts as unavailable at a call; at most the boundary's own. */
  readonly timeoutMs?: number;
  /** Prompts wait for a required source that can't load, where `onUnavailable` is `block`. */
  readonly required?: true;
}

/** Gives the sources that hold in a scope; asked again at each boundary, so it should be quick. */
export type SourceProducer = (
  scope: SourceScope,
) => readonly RegisteredSource[] | Promise<readonly RegisteredSource[]>;

/** The same across copies of this module; a later form of the registry gets another number. */
const registryMark = Symbol.for("session-runtime/registry/1");

export type SharedRegistry = Registry<SourceScope, unknown>;

/** The process's one registry, whichever copy of this module asks. */
export function getSharedRegistry(): SharedRegistry {
  const shared: typeof globalThis & { [registryMark]?: SharedRegistry } = globalThis;
  const registry = shared[registryMark] ?? new Registry<SourceScope, unknown>();
  shared[registryMark] = registry;
  return registry;
}

/** The Locations that an entry holds for: all of the process's, or the one of a directory. */
type EntryReach = { readonly kind: "all" } | { readonly kind: "one"; readonly directory: string };

export class InvalidProducerError extends Error {
  readonly code = "invalid_source_producer";
  constructor(readonly key: string) {
    super(`The producer of registry entry ${JSON.stringify(key)} is not a function.`);
    this.name = "InvalidProducerError";
  }
}

/**
 * Gives back the entry's disposer.
 * @throws InvalidKeyError, InvalidProducerError, DuplicateEntryError
 */
export function register(
  entryKey: string,
  producer: SourceProducer,
  reach: EntryReach,
): () => void {
  if (typeof entryKey !== "string" || !isSourceKey(entryKey) || isReserved(entryKey)) {
    throw new InvalidKeyError(String(entryKey));
  }
  if (typeof producer !== "function") throw new InvalidProducerError(entryKey);
  const registry = getSharedRegistry();
  if (reach.kind === "all") return registry.register(entryKey, producer);
  return registry.register(`${entryKey} ${reach.directory}`, producer);
}

/** The entries that hold in a directory, in key order. */
export function findEntries(registry: SharedRegistry, directory: string) {
  return registry.entries().filter(({ key }) => {
    const entryKey = parseEntryKey(key);
    return key === entryKey || key === `${entryKey} ${directory}`;
  });
}

/** `core/` is the runtime's own. */
export function isReserved(key: string): boolean {
  return key.startsWith("core/");
}

/** The key that an entry was registered under, whatever its reach. */
export function parseEntryKey(registered: string): string {
  return registered.split(" ", 1)[0] ?? registered;
}
