// Writes notices about the host, other plugins, and databases that were replaced.
import { type Notice, renderInstalledCommand } from "../log/notices.ts";
import type { DevelopmentReplacement } from "../storage/development.ts";
import { renderCount } from "./wording.ts";

// Finds blocks in the system strings that came from other plugins.

/** A call's system strings before and after our part, and what is known about them. */
export interface SystemStrings {
  /**
   * The strings as we received them: the host's own, with those that other plugins have put before and after
   * it.
   */
  readonly given: readonly string[];
  /** The strings as they are sent. */
  readonly sent: readonly string[];
  readonly baseline: string;
  /** The prompt's own system text. */
  readonly ownSystem: string | null;
  readonly structuredNote: "present" | "absent";
}

/** The kinds of foreign text that can be found in a request. */
export const UNKNOWN_BLOCK_KINDS = ["added-string", "unknown-block"] as const;
export type UnknownBlockKind = (typeof UNKNOWN_BLOCK_KINDS)[number];

/**
 * Finds texts that neither the host nor the user's prompt put into the system strings. The note on structured
 * output is the host's; if it is there, the text before it is not checked.
 */
export function findUnknownBlocks(strings: SystemStrings): readonly UnknownBlockKind[] {
  const added: readonly UnknownBlockKind[] = countAddedStrings(strings) > 0 ? ["added-string"] : [];
  if (strings.structuredNote === "present") return added;
  const live = sliceAfterBaseline(strings);
  const known = live === "" || live === (strings.ownSystem ?? "");
  return known ? added : [...added, "unknown-block"];
}

/** Counts the strings that other plugins have put after the host's; those before it are part of the preamble. */
function countAddedStrings({ given, sent }: SystemStrings): number {
  const changed = given.findIndex((text, index) => text !== sent[index]);
  return changed === -1 ? 0 : given.length - 1 - changed;
}

/** Returns the live text between the Baseline and what other plugins have added. */
function sliceAfterBaseline(strings: SystemStrings): string {
  const { sent, baseline } = strings;
  const whole = sent.indexOf(baseline);
  const place = whole === -1 ? sent.findIndex((text) => text.includes(baseline)) : whole;
  const holding = sent[place] ?? "";
  const within = holding.slice(holding.lastIndexOf(baseline) + baseline.length + 1);
  if (within !== "") return within;
  const after = sent.slice(place + 1);
  return after.slice(0, Math.max(0, after.length - countAddedStrings(strings))).join("\n");
}

/**
 * Warns that the plugin is listed twice: two lists, as in a global and a project's config, may name it by
 * different specs.
 */
export const listedTwiceNotice: Notice = {
  code: "listed_twice",
  severity: "warning",
  ends: "with the instance",
  message:
    "Session Runtime is listed twice in OpenCode's plugin list; one of the two stays inactive.",
  remedy: "Remove one entry from the global opencode.json or from the project's.",
};

export function createRewritersNotice(specs: readonly string[]): Notice {
  return {
    code: "rewriters_loaded",
    severity: "warning",
    ends: "with the instance",
    message: `Another plugin that rewrites messages or the system string is loaded: ${specs.join(", ")}. Any text that it changes after it was sent is billed again, and Session Runtime can't prevent that.`,
    remedy: "Keep one of the two in the plugin list; /ctx-status shows what it costs.",
  };
}

export function toBlockNoticeCode(block: UnknownBlockKind): string {
  return `system_${block}`;
}

export function createUnknownBlockNotice(block: UnknownBlockKind): Notice {
  const what =
    block === "added-string"
      ? "Another plugin adds strings to the system prompt."
      : "The system prompt holds a block that Session Runtime doesn't know, put there by another plugin or a newer OpenCode.";
  return {
    code: toBlockNoticeCode(block),
    severity: "warning",
    ends: "by over",
    message: `${what} It is sent unchanged, after the Baseline; each time it changes, the whole conversation is billed again.`,
    remedy: "Nothing is lost. If /ctx-status shows busts for it, turn that plugin off.",
  };
}

/** The supported versions of OpenCode, which must agree with the `engines` of this package. */
const SUPPORTED_HOSTS = "OpenCode 1.18.20 and later versions of 1.x";

/** The code of the notice that the system prompt isn't recognised, which ends once a prompt is recognised. */
export const SYSTEM_NOT_RECOGNISED_CODE = "system_not_recognised";

/**
 * Builds the notice that the system prompt isn't recognised. `others` lists the other plugins, any of which
 * may have changed the prompt before ours saw it.
 */
export function createSystemNotRecognisedNotice(others: readonly string[]): Notice {
  const consequence = "so it goes out as it is and nothing of it is frozen.";
  const versions = `Session Runtime supports ${SUPPORTED_HOSTS}: see \`opencode --version\`, update OpenCode or the plugin, and report it if the problem persists.`;
  if (others.length === 0) {
    return {
      code: SYSTEM_NOT_RECOGNISED_CODE,
      severity: "warning",
      ends: "by over",
      message: `OpenCode's system prompt isn't recognised, ${consequence}`,
      remedy: versions,
    };
  }
  return {
    code: SYSTEM_NOT_RECOGNISED_CODE,
    severity: "warning",
    ends: "by over",
    message: `OpenCode's system prompt isn't recognised, ${consequence} A plugin that is listed before Session Runtime may have changed it: ${others.join(", ")}.`,
    remedy: `Put Session Runtime first in the plugin list of your opencode.json, as \`${renderInstalledCommand("setup")}\` does, and restart OpenCode. If that changes nothing: ${versions}`,
  };
}

export function createCommandTakenNotice(name: string): Notice {
  return {
    code: `command_taken:${name}`,
    severity: "info",
    message: `Your config defines its own command /${name}, which takes precedence; Session Runtime's is not available.`,
    remedy: `Rename yours to use the plugin's /${name}.`,
  };
}

export function toRenamedNoticeCode(now: string): string {
  return `command_renamed:${now}`;
}

/** Builds the notice about a renamed command, which is over once the command is given by its present name. */
export function createCommandRenamedNotice(former: string, now: string): Notice {
  return {
    code: toRenamedNoticeCode(now),
    severity: "warning",
    ends: "by over",
    message: `/${former} is now called /${now}; the old name works in this version only.`,
    remedy: `Type /${now} the next time.`,
  };
}

// Explains what became of a database of a development version.

/** Explains the replacement in sentences, for the notice and for the command line. */
export function renderReplacement(
  path: string,
  { aside, version, markdown, kept, left }: DevelopmentReplacement,
): string {
  const brought =
    kept.length === 0
      ? "It held no memories, notes or queued prompts."
      : `Brought over: ${kept.join(", ")}.`;
  return [
    `The database ${path} was written by a development version (schema ${version}), which this version can't use. It was moved to ${aside}, and a new one was created.`,
    brought,
    ...(markdown === null ? [] : [`They are also in ${markdown}.`]),
    ...(left === 0 ? [] : [`${renderCount(left, "row")} that did not fit stayed in the old one.`]),
  ].join(" ");
}

export const REPLACEMENT_REMEDY =
  "Look through your memories with /ctx-memory. Running sessions start a new epoch. Delete the moved files once nothing is missing.";
