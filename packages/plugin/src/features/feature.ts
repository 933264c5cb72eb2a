// What a feature brings: the doors of its room.
// Folder: The contracts of features: what each brings as a room, and what it may use of its instance. Every room imports
// them; they know no room.

import type { Config } from "../config/schema.ts";
import type { SettingsSection } from "../config/section.ts";
import type { SourceScope } from "../context/source-scope.ts";
import type { SystemContext } from "../context/system-context.ts";
import type { ReadWritten } from "../history/written.ts";
import type { Policy } from "../policies/policy.ts";
import type { Propose } from "../policies/take-proposals.ts";
import type { Witness } from "../policies/witness.ts";
import type { ReadSection } from "../status/section.ts";
import type { SessionId } from "../storage/records.ts";
import type { SchemaPart } from "../storage/schema-part.ts";
import type { CommandDeclaration, OpenCommand } from "./command.ts";
import type { FindingRoom } from "./finders.ts";
import type { House } from "./house.ts";
import type { InboxService } from "./inbox-service.ts";
import type { AnyJob } from "./job.ts";
import type { KeepRef } from "./keep-ref.ts";
import type { ToolsAside } from "./offered-call.ts";
import type { LeaseOf } from "./project-lease.ts";
import type { RoomHooks, SettledTool } from "./room-hooks.ts";
import type { ShownQueue } from "./screen.ts";
import type { ShellWord } from "./shell-word.ts";
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
  readonly turnOn?: string;
  /** What the model is offered; each is run by the open tool of the same name. */
  readonly tools?: readonly ToolDeclaration[];
  /**
   * What it keeps in the database: deletion with the session, sizes, export, import and `prune` follow
   * from its tables' rules. Its module may import the storage's `table.ts`, `column.ts` and `codec.ts`,
   * and nothing that needs all tables.
   */
  readonly tables?: () => Promise<SchemaPart>;
  /** Slash commands; each is answered by the open command of the same name. */
  readonly commands?: readonly CommandDeclaration[];
  /** Words of the command line. */
  readonly words?: readonly ShellWord[];
  readonly settings?: SettingsSection;
  /** Its section of /ctx-status, of the command line's `status` and of the panel. */
  readonly status?: () => Promise<ReadSection>;
  /**
   * Publishes how other plugins of the process reach it, from the host's start on: `opened` waits for the
   * room. Gives back what withdraws it.
   */
  readonly publish?: (directory: string, opened: () => Promise<Room>) => () => void;
  /** Loads the room and opens it for one plugin instance, at the first use of the plugin. */
  readonly open: (house: House) => Promise<Room>;
}

/** What an open feature brings to one plugin instance. */
export interface Room extends FindingRoom {
  /** What it drafts; its drafts come after what the host pushed, and before the news. */
  readonly policies?: readonly Policy[];
  /** What it adds to the System Context of a call. It must not throw: a failure belongs in a loader. */
  readonly sources?: (scope: SourceScope) => SystemContext;
  /** Recognises what the model has said by its tools, so that its sources don't announce it again. */
  readonly witness?: Witness;
  readonly hooks?: RoomHooks;
  /** What a failed call says in place of a text that is over the limit; null where it is not. */
  readonly boundFailure?: (call: SettledTool, text: string) => Promise<string> | null;
  /** What it may have a model do beside the turns; it adds such work to the house's `jobs`. */
  readonly jobs?: readonly AnyJob[];
  /** What its tools, commands and jobs propose, by kind: how it is held against the present. */
  readonly proposals?: ReadonlyMap<string, Propose>;
  /** What the provider itself has said that a model takes in one call, in tokens; null: nothing. */
  readonly statedTokens?: (providerId: string, modelId: string) => number | null;
  /** Our own tools that a call is left without, as it would offer more than its provider takes. */
  readonly toolsAside?: ToolsAside;
  /** What a model has written of a history: it is called in the path of calls, so that it has to be quick. */
  readonly written?: ReadWritten;
  /** Keeps what a ref names for the rest of a session, and says so to the model. */
  readonly keep?: KeepRef;
  /** The lease under which one machine at a time works on a project that several share. */
  readonly lease?: LeaseOf;
  readonly tools?: readonly OpenTool[];
  readonly commands?: readonly OpenCommand[];
  /** What its `publish` hands on to. */
  readonly inbox?: InboxService;
  /** What waits in a session's queue, for its dialog. */
  readonly queue?: (sessionId: SessionId) => Promise<ShownQueue>;
  /** What whoever opens the session must know first, as it was shown when it arose; null: nothing. */
  readonly notice?: (sessionId: SessionId) => string | null;
  /** Whether another process works on the session: a message of ours would join its turn. */
  readonly runsElsewhere?: (sessionId: SessionId) => Promise<boolean>;
}
