// Builds the Context Sources of one session, built-in and added.
import { decode, hashText } from "../context/canonical.ts";
import { type SourceKey, toSourceKey } from "../context/key.ts";
import { emptySnapshot, findEntry, type Snapshot } from "../context/snapshot.ts";
import {
  absent,
  type LoadResult,
  type SourceDefinition,
  type SourceScope,
  Unavailable,
} from "../context/source.ts";
import {
  combine,
  createSystemContext,
  mapMaybePromise,
  type ObservedContext,
  observeState,
  type SystemContext,
} from "../context/system-context.ts";
import { createDateSource, createDayReader, parseDate, replaceDate } from "../sources/date.ts";
import {
  createEnvironmentSource,
  type Environment,
  parseEnvironment,
} from "../sources/environment.ts";
import type { FileCache } from "../sources/file-cache.ts";
import type { HostBlocks } from "../sources/host-blocks.ts";
import { areTextsEqual } from "../sources/instruction-discovery.ts";
import type { InstructionScope } from "../sources/instruction-scope.ts";
import {
  type Instructions,
  instructionsSchema,
  parseInstructions,
  renderHostText,
} from "../sources/instruction-text.ts";
import type { UrlCache } from "../sources/instruction-urls.ts";
import { createInstructionsSource, instructionsKey } from "../sources/instructions.ts";
import { createModelSource, type Model, parseModel } from "../sources/model.ts";
import { createNestedSource } from "../sources/nested-instructions.ts";
import { ObservedBlocks, toObservedValue } from "../sources/observed.ts";
import type { SessionId } from "../storage/records.ts";
import type { HistoryHead } from "./history.ts";

// Predicts whether the host marks the first two system strings as cache breakpoints.

/** The properties of a model by which the host decides its cache breakpoints. */
export interface ModelIdentity {
  readonly providerId: string;
  /** The id in the host's catalog. */
  readonly modelId: string;
  /** The id by which the provider knows the model. */
  readonly apiId: string;
  readonly npm: string;
}

/**
 * Returns true if the host marks the first two system strings as cache breakpoints. This is the host's own
 * condition (OpenCode 1.18.33, ProviderTransform.message) without the `cacheControl` option, which no hook
 * before chat.params can see.
 */
export function hasCacheBreakpoints(model: ModelIdentity): boolean {
  if (model.npm === "@ai-sdk/gateway") return false;
  const named = [model.apiId, model.modelId].some(
    (id) => id.includes("anthropic") || id.includes("claude"),
  );
  return (
    named ||
    model.providerId === "anthropic" ||
    model.providerId === "google-vertex-anthropic" ||
    model.npm === "@ai-sdk/anthropic" ||
    model.npm === "@ai-sdk/alibaba"
  );
}

/** The values that the built-in sources of a Location depend on. */
export interface SourceDeps {
  readonly environment: Environment;
  readonly scope: InstructionScope;
  readonly files: FileCache;
  readonly urls: UrlCache;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
  /** An IANA time zone; null for the host's own zone. */
  readonly timeZone: string | null;
  /** Returns the id by which the provider knows a catalogue's model; null if it can't be found out now. */
  readonly findApiId: (
    providerId: string,
    modelId: string,
  ) => string | null | Promise<string | null>;
  /** Makes a session's source that states what the session's summary has lost. */
  readonly summary: () => SummarySource;
  /** Makes a session's added sources: the user's own, those of features, and those of other plugins. */
  readonly added: () => AddedContext;
}

/** The place where a session's history begins, and what was last announced to it. */
export interface SummaryPlace {
  readonly head: HistoryHead;
  readonly belief: Snapshot;
}

/** Builds a source that asks for the session's place at each observation. */
interface SummarySource {
  context(sessionId: SessionId, at: () => SummaryPlace): SystemContext;
}

/** Returns the built-in sources of a boundary with the added ones. */
interface AddedContext {
  context(boundary: {
    readonly scope: SourceScope;
    /** The snapshot that the model last received. */
    readonly belief: Snapshot;
    readonly builtIn: SystemContext;
  }): SystemContext | Promise<SystemContext>;
}

/** The call that sources are loaded for. */
export interface SourceCall {
  readonly sessionId: string;
  readonly agent: string;
  readonly providerId: string;
  readonly modelId: string;
}

interface ComposedContext {
  /** The values that the composed context depends on. */
  readonly question: readonly string[];
  readonly context: SystemContext;
}

/** The Context Sources of one session: the built-in ones, and those that were added. */
export class SessionSources {
  readonly seen = new ObservedBlocks();
  /** The snapshot last announced to the session; a source may need its former value. */
  belief: Snapshot = emptySnapshot;
  /** The compaction that the history begins with, if there is one. */
  head: HistoryHead = { kind: "whole" };
  #instructions: Instructions | null = null;
  /** The host's rendering of the instructions; null until it is needed. */
  #rendering: string | null = null;
  readonly #definitions;
  /** The built-in sources as they were last composed. */
  #composed: ComposedContext | null = null;
  readonly #added: AddedContext;
  readonly #summary: SummarySource;

  constructor(private readonly deps: SourceDeps) {
    this.#summary = deps.summary();
    this.#added = deps.added();
    const aggregate = createInstructionsSource({
      ...deps,
      lastKnown: () => this.#findKnownInstructions(),
    });
    this.#definitions = {
      environment: createEnvironmentSource(() => deps.environment),
      date: createDateSource({ now: deps.now, timeZone: deps.timeZone }),
      references: this.seen.createSource("references"),
      instructions: {
        ...aggregate,
        load: () => mapMaybePromise(aggregate.load(), (loaded) => this.#remember(loaded)),
      },
      mcp: this.seen.createSource("mcp"),
      skills: this.seen.createSource("skills"),
    };
  }

  /** Returns the sources at a boundary in the order in which they are announced: built-in ones first. */
  context(call: SourceCall, nested: readonly string[]): SystemContext | Promise<SystemContext> {
    const { sessionId, agent, providerId, modelId } = call;
    const { directory, worktree } = this.deps.environment;
    const model = { providerId, modelId };
    const scope = { location: { directory, worktree }, sessionId, agent, model };
    return this.#added.context({
      scope,
      belief: this.belief,
      builtIn: this.#createBuiltIn(call, nested),
    });
  }

  /**
   * Composes the built-in sources, and does so again only for another model or other watched nested
   * instructions.
   */
  #createBuiltIn({ sessionId, providerId, modelId }: SourceCall, nested: readonly string[]) {
    const question = [sessionId, providerId, modelId, ...nested];
    const known = this.#composed;
    if (known && areTextsEqual(known.question, question)) return known.context;
    const { environment, date, references, instructions, mcp, skills } = this.#definitions;
    const context = combine([
      createSystemContext(environment),
      createSystemContext(this.#createModelSource({ providerId, modelId })),
      createSystemContext(date),
      createSystemContext(references),
      createSystemContext(instructions),
      ...nested.map((path) =>
        createSystemContext(createNestedSource(path, { ...this.deps, hash: hashText })),
      ),
      createSystemContext(mcp),
      createSystemContext(skills),
      this.#summary.context(sessionId as SessionId, () => this),
    ]);
    this.#composed = { question, context };
    return context;
  }

  /** Returns the host's rendering of the instructions as they were last loaded; null if there is none. */
  expectedInstructions(): string | null {
    this.#rendering ??= this.#instructions && renderHostText(this.#instructions);
    return this.#rendering;
  }

  /** Returns the host's blocks as they are frozen, with the day in the configured time zone. */
  freezeBlocks(blocks: HostBlocks): HostBlocks {
    const { timeZone, now } = this.deps;
    if (timeZone === null || typeof blocks.environment !== "string") return blocks;
    return {
      ...blocks,
      environment: replaceDate(blocks.environment, createDayReader(timeZone)(now())),
    };
  }

  /** Reads what the host's blocks state from the very text that is frozen. */
  stated(blocks: HostBlocks, model: ModelIdentity): ObservedContext {
    const { environment, date, references, mcp, skills } = this.#definitions;
    const { instructions } = this.#definitions;
    const parseBlock = (text: string) =>
      parseInstructions(text, this.#instructions, this.deps.files.limitBytes);
    return [
      ...parseStated(blocks.environment, environment, parseEnvironment),
      ...parseStated(blocks.environment, this.#createModelSource(model), parseModel),
      ...parseStated(blocks.environment, date, parseDate),
      ...parseStated(blocks.references, references, toObservedValue),
      ...parseStated(blocks.instructions, instructions, parseBlock),
      ...parseStated(blocks.mcp, mcp, toObservedValue),
      ...parseStated(blocks.skills, skills, toObservedValue),
    ];
  }

  /**
   * The keys of sources that are read off the host's text alone, so that earlier observations of them mean
   * nothing.
   */
  static readonly readOffText: ReadonlySet<SourceKey> = new Set(
    ["core/references", "core/mcp", "core/skills"].map(toSourceKey),
  );

  #remember(loaded: LoadResult<Instructions>): LoadResult<Instructions> {
    const known = loaded === absent ? null : loaded;
    if (known instanceof Unavailable || known === this.#instructions) return loaded;
    this.#instructions = known;
    this.#rendering = null;
    return loaded;
  }

  #createModelSource(model: { readonly providerId: string; readonly modelId: string }) {
    const { providerId, modelId } = model;
    const definition = createModelSource(() => ({ providerID: providerId, modelID: modelId }));
    let last: Model | null = null;
    const toLoadResult = (apiId: string | null): LoadResult<Model> => {
      if (apiId === null)
        return new Unavailable(`${providerId}/${modelId} is not in the catalogue`);
      // The same object is returned while nothing changes, so that its encoding is cached.
      if (last?.modelID !== apiId) last = { providerID: providerId, modelID: apiId };
      return last;
    };
    return {
      ...definition,
      load: () => mapMaybePromise(this.deps.findApiId(providerId, modelId), toLoadResult),
    };
  }

  #findKnownInstructions(): Instructions | null {
    const entry = findEntry(this.belief, toSourceKey(instructionsKey));
    return entry ? (decode(instructionsSchema, entry.json)?.value ?? null) : null;
  }
}

/**
 * Observes a source's value in the host's block; null means that the source is absent. If the block is
 * undefined, the host's text never contains the source, and nothing is observed.
 */
function parseStated<T>(
  block: string | null | undefined,
  definition: SourceDefinition<T>,
  valueIn: (block: string) => T | null,
): ObservedContext {
  if (block === undefined) return [];
  const key = toSourceKey(definition.key);
  const value = block === null ? null : valueIn(block);
  return [
    { key, required: false, state: observeState(definition, key, value === null ? absent : value) },
  ];
}
