// What a feature brings: what the host learns at its start, and what an open one has.
// Folder: The contract of features: what each brings, what it provides to others, and what it may use. Every feature
// imports it; it knows no feature.

import type { Config } from "../config/schema.ts";
import type { SettingsSection } from "../config/section.ts";
import type { SourceScope } from "../context/source-scope.ts";
import type { SystemContext } from "../context/system-context.ts";
import type { Policy } from "../ledger/policy.ts";
import type { FindSightings } from "../ledger/sightings.ts";
import type { DraftProposal } from "../ledger/take-proposals.ts";
import type { ReadSection } from "../status/section.ts";
import type { SchemaModule } from "../storage/schema-module.ts";
import type { CliCommand } from "./cli-command.ts";
import type { CommandDeclaration, OpenCommand } from "./command.ts";
import type { Points, ProvidedLookup } from "./extension-point.ts";
import type { FeatureContext } from "./feature-context.ts";
import type { FeatureHooks } from "./feature-hooks.ts";
import type { AnyJob } from "./job.ts";
import type { OpenTool, ToolDeclaration } from "./tool.ts";

/**
 * A feature as the host learns of it at its start: names and texts, and no code but what opens it. Its
 * module must load nothing else.
 */
export interface Feature {
  readonly name: string;
  /** A feature that is off offers nothing and is not opened; not given: it is always on. */
  readonly isOn?: (config: Config) => boolean;
  /** What a user writes into the settings to turn it on, where `isOn` says that it is off. */
  readonly enableHint?: string;
  /** What the model is offered; each is run by the open tool of the same name. */
  readonly tools?: readonly ToolDeclaration[];
  /**
   * What it keeps in the database: deletion with the session, sizes, export, import and `prune` follow
   * from its tables' rules. Its module may import the storage's `table.ts`, `column.ts` and `codec.ts`,
   * and nothing that needs all tables.
   */
  readonly tables?: () => Promise<SchemaModule>;
  /** Slash commands; each is answered by the open command of the same name. */
  readonly commands?: readonly CommandDeclaration[];
  /** Words of the command line. */
  readonly cliCommands?: readonly CliCommand[];
  readonly settings?: SettingsSection;
  /** Its section of /ctx-status, of the command line's `status` and of the panel. */
  readonly status?: () => Promise<ReadSection>;
  /**
   * Publishes how other plugins of the process reach it, from the host's start on: `opened` waits for the
   * room. Gives back what withdraws it.
   */
  readonly publish?: (directory: string, opened: () => Promise<FeatureInstance>) => () => void;
  /** What it gives to others. A value for each is among the `provides` of its room. */
  readonly provides?: Points;
  /** Where one of these is missing by the settings, the feature is off as well. */
  readonly needs?: Points;
  /** What it does without where that is off. */
  readonly uses?: Points;
  /** Loads the room and opens it for one plugin instance, at the first use of the plugin. */
  readonly open: (context: FeatureContext, provided: ProvidedLookup) => Promise<FeatureInstance>;
}

/** What an open feature brings to one plugin instance. */
export interface FeatureInstance {
  /** What it drafts; its drafts come after what the host pushed, and before the news. */
  readonly policies?: readonly Policy[];
  /** What it adds to the System Context of a call. It must not throw: a failure belongs in a loader. */
  readonly sources?: (scope: SourceScope) => SystemContext;
  /** Recognises what the model has said by its tools, so that its sources don't announce it again. */
  readonly witness?: FindSightings;
  readonly hooks?: FeatureHooks;
  /** What it may have a model do beside the turns; it adds such work to the house's `jobs`. */
  readonly jobs?: readonly AnyJob[];
  /** What its tools, commands and jobs propose, by kind: how it is held against the present. */
  readonly proposals?: ReadonlyMap<string, DraftProposal>;
  readonly tools?: readonly OpenTool[];
  readonly commands?: readonly OpenCommand[];
  /** What it gives to others, by the names of its feature's `provides`; null: nothing, by its settings. */
  readonly provides?: Readonly<Record<string, unknown>>;
}
