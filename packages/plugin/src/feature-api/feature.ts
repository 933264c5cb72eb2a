// Declares the parts of a feature; types hold each feature to what it declares.
// Folder: The contract of features: what each brings, what it provides to others, and what it may use. Every feature
// imports it; it knows no feature.
import type { Config } from "../config/schema.ts";
import type { SettingsSection } from "../config/setting.ts";
import type { SourceScope } from "../context/source.ts";
import type { SystemContext } from "../context/system-context.ts";
import type { FindSightings, Policy } from "../ledger/policy.ts";
import type { DraftProposal } from "../ledger/take-proposals.ts";
import type { ReadSection } from "../status/section.ts";
import type { SchemaModule } from "../storage/schema-module.ts";
import type { CliCommand, CommandDeclaration, OpenCommand } from "./command.ts";
import type {
  DependencyValues,
  Points,
  ProvidedLookup,
  ProvidedValues,
} from "./extension-point.ts";
import type { FeatureContext } from "./feature-context.ts";
import type { FeatureHooks } from "./feature-hooks.ts";
import type { AnyJob } from "./job.ts";
import type { OpenTool, ToolDeclaration } from "./tool.ts";

/**
 * A feature as the host sees it at its start: names and texts, and no code except what opens the feature. Its
 * module must load nothing else.
 */
export interface Feature {
  readonly name: string;
  /**
   * Says whether the feature is on; a feature that is off offers nothing and is not opened. Without this
   * function, the feature is always on.
   */
  readonly isOn?: (config: Config) => boolean;
  /** The setting that turns the feature on, if `isOn` says that it is off. */
  readonly enableHint?: string;
  /** The tools that the model is offered; each one is run by the open tool of the same name. */
  readonly tools?: readonly ToolDeclaration[];
  /**
   * The feature's database tables: deletion with the session, sizes, export, import and `prune` follow from
   * their rules. Their module may import the storage's `table.ts`, `column.ts` and `codec.ts`, and nothing
   * that needs all tables.
   */
  readonly tables?: () => Promise<SchemaModule>;
  /** Slash commands; each is answered by the open command of the same name. */
  readonly commands?: readonly CommandDeclaration[];
  /** Subcommands of the command line. */
  readonly cliCommands?: readonly CliCommand[];
  readonly settings?: SettingsSection;
  /** The feature's section of /ctx-status, of the command line's `status` and of the panel. */
  readonly status?: () => Promise<ReadSection>;
  /**
   * Publishes the feature to other plugins of the process, from the host's start on; `opened` waits for the
   * instance. Returns a function that withdraws it.
   */
  readonly publish?: (directory: string, opened: () => Promise<FeatureInstance>) => () => void;
  /** The extension points that the feature provides. Its instance has a value for each one in `provides`. */
  readonly provides?: Points;
  /**
   * The extension points that the feature needs: if the settings leave one without a value, the feature is
   * off too.
   */
  readonly needs?: Points;
  /** The extension points that the feature uses and can do without if they are off. */
  readonly uses?: Points;
  /** Loads the feature's code and opens it for one plugin instance, at the plugin's first use. */
  readonly open: (context: FeatureContext, provided: ProvidedLookup) => Promise<FeatureInstance>;
}

/** The parts that an open feature adds to one plugin instance. */
export interface FeatureInstance {
  /**
   * The feature's policies; their drafts come after what the host pushed and before the updates of sources.
   */
  readonly policies?: readonly Policy[];
  /**
   * Adds sources to the System Context of a call. It must not throw: a failure belongs in a source's loader.
   */
  readonly sources?: (scope: SourceScope) => SystemContext;
  /**
   * Recognises what the model has already said through its tools, so that sources don't announce it again.
   */
  readonly witness?: FindSightings;
  readonly hooks?: FeatureHooks;
  /**
   * The jobs that a model may do for the feature outside the turns; the feature adds them to the context's
   * `jobs`.
   */
  readonly jobs?: readonly AnyJob[];
  /** Functions, by kind, that compare the proposals of tools, commands and jobs with the present. */
  readonly proposals?: ReadonlyMap<string, DraftProposal>;
  readonly tools?: readonly OpenTool[];
  readonly commands?: readonly OpenCommand[];
  /** Values by the names in the feature's `provides`; null for one that its settings leave out. */
  readonly provides?: Readonly<Record<string, unknown>>;
}

// Defines a feature with extension points: types hold its `open` and its instance to what it declares.

/** An instance that has a value for each of these extension points. */
export type ProvidingFeatureInstance<Provides extends Points> = FeatureInstance & {
  readonly provides: ProvidedValues<Provides>;
};

/** Types an instance; undeclared keys are inferred as any keys. */
type OpenedInstance<Provides extends Points> = string extends keyof Provides
  ? FeatureInstance
  : ProvidingFeatureInstance<Provides>;

interface ConnectedFeature<Provides extends Points, Needs extends Points, Uses extends Points>
  extends Omit<Feature, "provides" | "needs" | "uses" | "open" | "publish"> {
  readonly provides?: Provides;
  readonly needs?: Needs;
  readonly uses?: Uses;
  readonly publish?: (
    directory: string,
    opened: () => Promise<OpenedInstance<Provides>>,
  ) => () => void;
  readonly open: (
    context: FeatureContext,
    given: DependencyValues<Needs, Uses>,
  ) => Promise<OpenedInstance<Provides>>;
}

/**
 * Defines a feature whose `open` gets a value for each name of `needs` and `uses`, and whose instance has a
 * value for each name of `provides`: undeclared values can't be reached, and a missing value is a type error.
 */
export function defineFeature<Provides extends Points, Needs extends Points, Uses extends Points>(
  feature: ConnectedFeature<Provides, Needs, Uses>,
): Feature {
  const { needs, uses, open, publish, ...rest } = feature;
  const wanted = Object.entries<Points[string]>({ ...needs, ...uses });
  return {
    ...rest,
    ...(needs && { needs }),
    ...(uses && { uses }),
    // The instance passed to `publish` is the one that `open` has made.
    ...(publish && { publish: publish as NonNullable<Feature["publish"]> }),
    open: (context, provided) => {
      const given = wanted.map(([name, point]) => [name, provided.get(point)]);
      return open(context, Object.fromEntries(given) as DependencyValues<Needs, Uses>);
    },
  };
}

// The sections that features bring to the configuration.

/** Lists the sections in the order of the features. */
export function listSettingsSections(features: readonly Feature[]): readonly SettingsSection[] {
  return features.flatMap(({ settings }) => settings ?? []);
}

// Loads the sections that features add to a session's status; only the code that reports it loads them.

/** Loads the sections, in the order of the features. */
export function loadStatusSections(features: readonly Feature[]): Promise<readonly ReadSection[]> {
  return Promise.all(features.flatMap(({ status }) => (status ? [status()] : [])));
}
