// Adapts what another plugin has registered into sources, so that no source can delay or break another.
import * as z from "zod";
import { toCanonicalJson } from "../../context/canonical.ts";
import { isSourceKey, type SourceKey } from "../../context/key.ts";
import {
  absent,
  isUnavailable,
  type LoadResult,
  type SourceDefinition,
  type SourceScope,
  toWellFormed,
  Unavailable,
} from "../../context/source.ts";
import type { RegistryEntry } from "../../context/system-context.ts";
import { describeFailure } from "../../sources/custom-spec.ts";
import { limitText } from "../../sources/read-file.ts";
import { withTimeout } from "../../sources/with-timeout.ts";
import { isReserved, type JsonValue, parseEntryKey } from "./registration.ts";

/** The largest size of a value's JSON, or of a text. */
const MAX_VALUE_BYTES = 1_048_576;

/** The usable part of a source that a producer gave. */
type AdaptedSource =
  | {
      readonly kind: "source";
      readonly key: SourceKey;
      readonly definition: SourceDefinition<JsonValue>;
    }
  /** The key is known but the rest can't be used, so the source counts as unavailable. */
  | { readonly kind: "broken"; readonly key: SourceKey; readonly reason: string }
  | { readonly kind: "nameless"; readonly reason: string };

// A value that is not JSON is refused when it is encoded, so the schema need not check it as well.
const anyJsonSchema = z.custom<JsonValue>(() => true);

type Method = (...values: readonly JsonValue[]) => unknown;

/**
 * Adapts what another plugin gave as a source; its type is not guaranteed at run time. Never throws for a
 * plain object.
 */
export function adaptSource(given: unknown): AdaptedSource {
  if (typeof given !== "object" || given === null) {
    return { kind: "nameless", reason: "a source is not an object" };
  }
  const key: unknown = Reflect.get(given, "key");
  if (typeof key !== "string" || !isSourceKey(key) || isReserved(key)) {
    return { kind: "nameless", reason: 'a source has no key like "team/oncall"' };
  }
  const wrong = ["load", "baseline", "update"].filter((name) => !findMethod(given, name));
  const removed = findMethod(given, "removed");
  if (!removed && Reflect.get(given, "removed") !== undefined) wrong.push("removed");
  if (wrong.length > 0)
    return { kind: "broken", key, reason: `${wrong.join(", ")}: not a function` };
  const timeoutMs: unknown = Reflect.get(given, "timeoutMs");
  const callRenderer = (name: string, ...values: readonly JsonValue[]) =>
    limitRenderedText(findMethod(given, name)?.(...values), name);
  return {
    kind: "source",
    key,
    definition: {
      key,
      schema: anyJsonSchema,
      load: () => loadWithTimeout(timeoutMs, async () => findMethod(given, "load")?.()),
      baseline: (current) => callRenderer("baseline", current),
      update: (previous, current) => callRenderer("update", previous, current),
      ...(Reflect.get(given, "required") === true && { required: true as const }),
      ...(removed ? { removed: (previous) => callRenderer("removed", previous) } : {}),
    },
  };
}

/** Finds a method at each call and binds it, because it may belong to a class that uses `this`. */
function findMethod(given: object, name: string): Method | null {
  const found: unknown = Reflect.get(given, name);
  if (typeof found !== "function") return null;
  return (...values) => Reflect.apply(found, given, values);
}

async function loadWithTimeout(
  timeoutMs: unknown,
  load: () => Promise<unknown>,
): Promise<LoadResult<JsonValue>> {
  if (typeof timeoutMs !== "number" || !(timeoutMs > 0)) return toJsonValue(await load());
  const createTimeoutResult = () => new Unavailable(`no answer within ${timeoutMs} ms`);
  return toJsonValue(await withTimeout(timeoutMs, load(), createTimeoutResult));
}

/**
 * Returns a copy of the value, because the engine takes the same object to be the same value, and another
 * plugin may change its object in place.
 * @throws NotJsonError
 */
function toJsonValue(loaded: unknown): LoadResult<JsonValue> {
  if (loaded === absent) return absent;
  if (isUnavailable(loaded)) return new Unavailable(String(loaded.reason));
  if (loaded === undefined)
    return new Unavailable("load returned nothing: if there is no value, return `absent`");
  const json = toCanonicalJson(loaded);
  if (Buffer.byteLength(json) > MAX_VALUE_BYTES) {
    return new Unavailable(`the value is larger than ${MAX_VALUE_BYTES} bytes`);
  }
  return JSON.parse(toWellFormed(json));
}

function limitRenderedText(text: unknown, rendering: string): string {
  if (typeof text !== "string") throw new TypeError(`${rendering} did not return a text`);
  return limitText(toWellFormed(text), MAX_VALUE_BYTES);
}

// Runs the registry's producers so that no producer can delay or break another.

/** The result of one entry of the registry at a boundary. */
export type Production =
  | {
      readonly kind: "given";
      readonly entry: string;
      readonly entryKey: string;
      readonly sources: readonly AdaptedSource[];
    }
  | {
      readonly kind: "failed";
      readonly entry: string;
      readonly entryKey: string;
      readonly reason: string;
    };

/** Asks producers so that none can affect another, whether by failing, by hanging or by what it gives. */
export class Producers {
  /**
   * Holds the registrations whose producers are running; an entry that is registered again is asked again.
   */
  readonly #running = new Set<object>();

  constructor(private readonly timeoutMs: number) {}

  async ask(
    registration: RegistryEntry<SourceScope, unknown>,
    scope: SourceScope,
  ): Promise<Production> {
    const { key: entry, producer } = registration;
    const entryKey = parseEntryKey(entry);
    const createFailedProduction = (reason: string): Production => ({
      kind: "failed",
      entry,
      entryKey,
      reason,
    });
    if (this.#running.has(registration))
      return createFailedProduction("its producer has not answered the previous call");
    try {
      const asked = this.#run(registration, async () => producer(structuredClone(scope)));
      const createLateProduction = () =>
        createFailedProduction(`its producer did not answer within ${this.timeoutMs} ms`);
      return await withTimeout(
        this.timeoutMs,
        asked.then((given): Production => {
          if (!Array.isArray(given))
            return createFailedProduction("its producer did not return a list of sources");
          return { kind: "given", entry, entryKey, sources: given.map(adaptSource) };
        }),
        createLateProduction,
      );
    } catch (error) {
      return createFailedProduction(describeFailure("its producer", error));
    }
  }

  async #run(registration: object, work: () => Promise<unknown>): Promise<unknown> {
    this.#running.add(registration);
    try {
      return await work();
    } finally {
      this.#running.delete(registration);
    }
  }
}
