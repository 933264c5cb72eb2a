// Writes notices about the host and other plugins.
import { asInstalled } from "../log/command-line.ts";
import type { Notice } from "../log/notices.ts";
import type { UnknownBlock } from "./unknown-blocks.ts";

/** Two lists, as in a global and a project's config, may name this plugin by different specs. */
export const listedTwice: Notice = {
  code: "listed_twice",
  severity: "warning",
  ends: "with the instance",
  message:
    "Session Runtime is listed twice in OpenCode's plugin list; one of the two stays inactive.",
  remedy: "Remove one entry from the global opencode.json or from the project's.",
};

export function rewritersLoaded(specs: readonly string[]): Notice {
  return {
    code: "rewriters_loaded",
    severity: "warning",
    ends: "with the instance",
    message: `Another plugin that rewrites messages or the system string is loaded: ${specs.join(", ")}. Any text that it changes after it was sent is billed again, and Session Runtime can't prevent that.`,
    remedy: "Keep one of the two in the plugin list; /ctx-status shows what it costs.",
  };
}

export function blockNotice(block: UnknownBlock): string {
  return `system_${block}`;
}

export function unknownBlockSeen(block: UnknownBlock): Notice {
  const what =
    block === "added-string"
      ? "Another plugin adds strings to the system prompt."
      : "The system prompt holds a block that Session Runtime doesn't know, put there by another plugin or a newer OpenCode.";
  return {
    code: blockNotice(block),
    severity: "warning",
    ends: "by over",
    message: `${what} It is sent unchanged, after the Baseline; each time it changes, the whole conversation is billed again.`,
    remedy: "Nothing is lost. If /ctx-status shows busts for it, turn that plugin off.",
  };
}

/** Agrees with the `engines` of this package. */
const SUPPORTED = "OpenCode 1.18.20 and later versions of 1.x";

/** The notice ends once a prompt is recognised. */
export const SYSTEM_NOT_RECOGNISED = "system_not_recognised";

/** `others` are plugins beside ours, any of which may have changed the prompt before ours saw it. */
export function systemNotRecognised(others: readonly string[]): Notice {
  const consequence = "so it goes out as it is and nothing of it is frozen.";
  const versions = `Session Runtime supports ${SUPPORTED}: see \`opencode --version\`, update OpenCode or the plugin, and report it if the problem persists.`;
  if (others.length === 0) {
    return {
      code: SYSTEM_NOT_RECOGNISED,
      severity: "warning",
      ends: "by over",
      message: `OpenCode's system prompt isn't recognised, ${consequence}`,
      remedy: versions,
    };
  }
  return {
    code: SYSTEM_NOT_RECOGNISED,
    severity: "warning",
    ends: "by over",
    message: `OpenCode's system prompt isn't recognised, ${consequence} A plugin that is listed before Session Runtime may have changed it: ${others.join(", ")}.`,
    remedy: `Put Session Runtime first in the plugin list of your opencode.json, as \`${asInstalled("setup")}\` does, and restart OpenCode. If that changes nothing: ${versions}`,
  };
}

export function commandTaken(name: string): Notice {
  return {
    code: `command_taken:${name}`,
    severity: "info",
    message: `Your config defines its own command /${name}, which takes precedence; Session Runtime's is not available.`,
    remedy: `Rename yours to use the plugin's /${name}.`,
  };
}

export function renamedNotice(now: string): string {
  return `command_renamed:${now}`;
}

/** Over once the command is given by its present name. */
export function commandRenamed(former: string, now: string): Notice {
  return {
    code: renamedNotice(now),
    severity: "warning",
    ends: "by over",
    message: `/${former} is now called /${now}; the old name works in this version only.`,
    remedy: `Type /${now} the next time.`,
  };
}
