// Collects a session's sources other than the built-in ones: those of features, and registered ones.
import * as z from "zod";
import { isSourceKey, type SourceKey } from "../../context/key.ts";
import { listKeys, type Snapshot } from "../../context/snapshot.ts";
import { absent, type SourceScope, Unavailable } from "../../context/source.ts";
import { combine, createSystemContext, type SystemContext } from "../../context/system-context.ts";
import { Producers, type Production } from "./registered-source.ts";
import { findEntries, isReserved, type SharedRegistry } from "./registration.ts";

/** The sources that a Location's sessions get in addition to the built-in ones. */
interface AddedSourcesDeps {
  /** Functions that return the sources of features, in the order of the features. */
  readonly featureInstances: readonly ((scope: SourceScope) => SystemContext)[];
  readonly registry: SharedRegistry;
  /** A producer's time limit, in milliseconds. */
  readonly timeoutMs: number;
}

/** What a boundary asks for. */
interface AdditionRequest {
  readonly scope: SourceScope;
  /** The snapshot that the model last received. */
  readonly belief: Snapshot;
  /** The built-in sources. */
  readonly builtIn: SystemContext;
}

/** The added Context Sources of one session. */
export class AddedSources {
  readonly #producers: Producers;
  /** The keys that each entry of the registry last gave; they are kept if the entry fails. */
  readonly #given = new Map<string, readonly SourceKey[]>();
  /** The last combination of contexts without registered sources. */
  #last: { readonly of: readonly SystemContext[]; readonly context: SystemContext } | null = null;

  constructor(private readonly additions: AddedSourcesDeps) {
    this.#producers = new Producers(additions.timeoutMs);
  }

  /** Returns the built-in sources, followed by those of features and the registered ones. */
  context(request: AdditionRequest): SystemContext | Promise<SystemContext> {
    const { scope, builtIn } = request;
    const entries = findEntries(this.additions.registry, scope.location.directory);
    if (entries.length + this.#given.size > 0) return this.#gatherContexts(entries, request);
    const { featureInstances } = this.additions;
    return featureInstances.length === 0
      ? builtIn
      : this.#join([builtIn, ...featureInstances.map((of) => of(scope))]);
  }

  /** Joins contexts, but only if one of them has changed since the last boundary. */
  #join(of: readonly SystemContext[]): SystemContext {
    const last = this.#last;
    if (last?.of.every((context, index) => context === of[index])) return last.context;
    const context = combine(new UniqueSources(of).contexts);
    this.#last = { of, context };
    return context;
  }

  async #gatherContexts(
    entries: ReturnType<typeof findEntries>,
    { scope, belief, builtIn }: AdditionRequest,
  ): Promise<SystemContext> {
    const productions = await Promise.all(
      entries.map((entry) => this.#producers.ask(entry, scope)),
    );
    const gathered = new UniqueSources([
      builtIn,
      ...this.additions.featureInstances.map((of) => of(scope)),
    ]);
    const taken = productions.map((production) => {
      return { entryKey: production.entryKey, faults: this.#takeSources(production, gathered) };
    });
    for (const production of productions) this.#keepAnnouncedSources(production, gathered, belief);
    for (const { entryKey, faults } of taken) gathered.addEntryState(entryKey, faults);
    this.#forgetDisposedEntries(productions);
    return combine(gathered.contexts);
  }

  /** Adds the sources that an entry gave, and returns what is wrong with them. */
  #takeSources(production: Production, gathered: UniqueSources): readonly string[] {
    if (production.kind === "failed") return [production.reason];
    const keys = production.sources.flatMap((one) => (one.kind === "nameless" ? [] : [one.key]));
    this.#given.set(production.entry, keys);
    return production.sources.flatMap((source) => {
      if (source.kind === "nameless") return [source.reason];
      return gathered.add(
        source.kind === "broken"
          ? createUnavailableSource(source.key, source.reason)
          : createSystemContext(source.definition),
      );
    });
  }

  /**
   * Keeps everything that a failing entry has announced. If this process has never seen the entry work, its
   * keys may be any that no other source claims.
   */
  #keepAnnouncedSources(production: Production, gathered: UniqueSources, belief: Snapshot): void {
    if (production.kind !== "failed") return;
    const { entry, reason } = production;
    const keys = this.#given.get(entry) ?? listKeys(belief).filter((key) => !isReserved(key));
    for (const key of keys) gathered.add(createUnavailableSource(key, reason));
  }

  #forgetDisposedEntries(productions: readonly Production[]): void {
    const standing = new Set(productions.map(({ entry }) => entry));
    for (const entry of this.#given.keys()) if (!standing.has(entry)) this.#given.delete(entry);
  }
}

/** Collects sources under unique keys: the first source with a key keeps it. */
class UniqueSources {
  readonly contexts: SystemContext[] = [];
  readonly #claimed = new Set<string>();

  constructor([builtIn, ...others]: readonly SystemContext[]) {
    if (builtIn) this.add(builtIn);
    // Adds each source separately, so that a key that is taken affects no other source.
    for (const { sources } of others) for (const source of sources) this.add({ sources: [source] });
  }

  /** Returns what to report about keys that were already taken. */
  add(context: SystemContext): readonly string[] {
    const taken = context.sources.filter(({ key }) => this.#claimed.has(key));
    if (taken.length > 0) return taken.map(({ key }) => `the key ${key} belongs to another source`);
    for (const { key } of context.sources) this.#claimed.add(key);
    this.contexts.push(context);
    return [];
  }

  /**
   * Adds the state of an entry as a whole, under the entry's own key: unavailable with its faults, or else
   * absent. That key was never announced, so the model hears of neither.
   */
  addEntryState(entryKey: string, faults: readonly string[]): void {
    if (!isSourceKey(entryKey)) return;
    const [reason] = faults;
    this.add(
      reason === undefined
        ? createEmptySource(entryKey)
        : createUnavailableSource(entryKey, faults.join("; ")),
    );
  }
}

const UNREAD_SCHEMA = z.string();

function createUnavailableSource(key: SourceKey, reason: string): SystemContext {
  return createStateContext(key, new Unavailable(reason));
}

function createEmptySource(key: SourceKey): SystemContext {
  return createStateContext(key, absent);
}

function createStateContext(key: SourceKey, word: typeof absent | Unavailable): SystemContext {
  return createSystemContext({
    key,
    schema: UNREAD_SCHEMA,
    load: async () => word,
    baseline: () => key,
    update: () => key,
  });
}
