// Defines the shapes of registered sources, and the process's registry of them.
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

/**
 * A Context Source as another plugin provides it: plain data and functions, without a schema unless one is
 * wanted.
 */
export interface RegisteredSource<Value extends JsonValue = JsonValue> {
  /** The namespaced key, like `team/oncall`; it must not be below `core/`. */
  readonly key: string;
  /** Returns the value, `absent` if there is none, or `unavailable(reason)` if it can't be observed now. */
  load(): Value | Absent | Unavailable | Promise<Value | Absent | Unavailable>;
  /** Returns the text that states the value when it is first announced. */
  baseline(current: Value): string;
  /** Returns the text that states the newly effective value. */
  update(previous: Value, current: Value): string;
  /** Returns the text that takes the value back; a source without it needs a new epoch to go away. */
  removed?(previous: Value): string;
  /** The time after which a call treats this source as unavailable; at most the boundary's own time limit. */
  readonly timeoutMs?: number;
  /** If `onUnavailable` is `block`, prompts wait for a required source that can't be loaded. */
  readonly required?: true;
}

/** Returns the sources that apply in a scope. It is called at each boundary, so it should be quick. */
export type SourceProducer = (
  scope: SourceScope,
) => readonly RegisteredSource[] | Promise<readonly RegisteredSource[]>;

/**
 * The registry's key, equal in all copies of this module; a later form of the registry gets another number.
 */
const registryMark = Symbol.for("session-runtime/registry/1");

export type SharedRegistry = Registry<SourceScope, unknown>;

/** Returns the process's only registry, whichever copy of this module asks. */
export function getSharedRegistry(): SharedRegistry {
  const shared: typeof globalThis & { [registryMark]?: SharedRegistry } = globalThis;
  const registry = shared[registryMark] ?? new Registry<SourceScope, unknown>();
  shared[registryMark] = registry;
  return registry;
}

/**
 * The Locations that an entry applies to: all Locations of the process, or the one with a given directory.
 */
type EntryReach = { readonly kind: "all" } | { readonly kind: "one"; readonly directory: string };

export class InvalidProducerError extends Error {
  readonly code = "invalid_source_producer";
  constructor(readonly key: string) {
    super(`The producer of registry entry ${JSON.stringify(key)} is not a function.`);
    this.name = "InvalidProducerError";
  }
}

/**
 * Registers a producer and returns its disposer.
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

/** Returns the entries that apply in a directory, in key order. */
export function findEntries(registry: SharedRegistry, directory: string) {
  return registry.entries().filter(({ key }) => {
    const entryKey = parseEntryKey(key);
    return key === entryKey || key === `${entryKey} ${directory}`;
  });
}

/** Says whether a key is reserved: `core/` belongs to the runtime. */
export function isReserved(key: string): boolean {
  return key.startsWith("core/");
}

/** Returns the key under which an entry was registered, whatever its reach. */
export function parseEntryKey(registered: string): string {
  return registered.split(" ", 1)[0] ?? registered;
}
