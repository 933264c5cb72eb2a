// Computes what Pi by itself would have done at a call, for the comparison with it.
import type { HostWithoutPlugin } from "@session-runtime/opencode/session/turn-cost";
import type { PiModel, PiSystem } from "./pi.ts";
import type { RowGroup } from "./rows.ts";
import { patchedByUs } from "./system-text.ts";

const BYTES_PER_TOKEN = 4;

/**
 * Describes Pi without the plugin. Pi renders its prompt at its start and at a reload, never within a session,
 * and keeps changes as a patch. A model that takes instructions in mid-conversation gets the patch in its
 * place; any other gets it in the leading prompt, at the cost of the cache for everything after it.
 */
export function piAlone(groups: readonly RowGroup[], model: PiModel): HostWithoutPlugin {
  const newest = groups.findLastIndex(
    (group) => group.kind === "row" && group.row.info.role === "assistant",
  );
  const [first, ...later] = groups;
  const patches = later.flatMap((group, at) =>
    group.kind === "system" && patchedByUs(group.message)
      ? [{ bytes: countSectionBytes(group.message), isNew: at + 1 > newest }]
      : [],
  );
  const kept = first?.kind === "system" ? keptTokens(first.message) : 0;
  if (model.compat?.supportsMidConvoSystemMessages !== true) {
    const prompt = patches.some(({ isNew }) => isNew) ? "rewritten" : "kept";
    return { prompt, announcedBytes: 0, carriedBytes: 0, keptTokens: kept };
  }
  const sum = (which: "new" | "former") =>
    patches
      .filter(({ isNew }) => isNew === (which === "new"))
      .reduce((all, { bytes }) => all + bytes, 0);
  return {
    prompt: "kept",
    announcedBytes: sum("new"),
    carriedBytes: sum("former"),
    keptTokens: kept,
  };
}

/** Counts a section's bytes in JSON, whose syntax is about as long as Pi's text around the section. */
function countSectionBytes({ sections = {} }: PiSystem): number {
  return Buffer.byteLength(JSON.stringify(sections));
}

/** The shortest prefix that providers with breakpoints cache. */
const CACHED_FROM_TOKENS = 1_024;

/** Counts the tokens of the tools that Pi would have without the plugin. */
function keptTokens({ toolsAdded = [] }: PiSystem): number {
  const others = toolsAdded.filter(({ name }) => !name.startsWith("ctx_"));
  const tokens = Math.ceil(Buffer.byteLength(JSON.stringify(others)) / BYTES_PER_TOKEN);
  return tokens < CACHED_FROM_TOKENS ? 0 : tokens;
}
