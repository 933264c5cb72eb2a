// References, MCP and skills: blocks that only the host can render.
// Folder: The built-in Context Sources and what they read, and the reader of the host's standing text.
import * as z from "zod";
import { wellFormed } from "../context/rendering.ts";
import { absent, type LoadResult, type SourceDefinition, Unavailable } from "../context/source.ts";
import { listChange } from "./list-change.ts";

/** Lists blocks that only the host can render (permissions, live servers): they are observed, not loaded. */
export type ObservedKind = "references" | "mcp" | "skills";

/** Holds what one system text of the host had; null or missing where a block was not there. */
type BlockSighting = Readonly<Partial<Record<ObservedKind, string | null>>>;

const changed: Readonly<Record<ObservedKind, string>> = {
  references:
    "The available project references have changed. This list supersedes the previous reference list.",
  mcp: "The instructions of the MCP servers have changed. These supersede all previous MCP instructions.",
  skills:
    "The available skills have changed. This list supersedes the previous available skills list.",
};

const listed: Readonly<Record<ObservedKind, string>> = {
  references: "project references",
  mcp: "MCP servers with instructions",
  skills: "available skills",
};

/** Renders an update; a long list is announced by its changes. */
function update(kind: ObservedKind, previous: string, current: string): string {
  const change = listChange(previous, current);
  if (change === null) return `${changed[kind]}\n${current}`;
  return `The list of ${listed[kind]} has changed by these entries. The rest of the previous list still applies.\n${change}`;
}

const gone: Readonly<Record<ObservedKind, string>> = {
  references:
    "Project reference guidance is no longer available. Do not use previously listed references.",
  mcp: "No MCP server has instructions any more. Previously given MCP instructions no longer apply.",
  skills: "Skill guidance is no longer available. Do not use any previously listed skill.",
};

/** Returns the value of a block, for a snapshot taken from a frozen string. */
export function observedValue(block: string): string {
  return wellFormed(block);
}

const blockSchema = z.string().min(1);

/** Remembers what the host last rendered, per session, because agents and permissions decide it. */
export class ObservedBlocks {
  #last: BlockSighting | null = null;

  see(sighting: BlockSighting): void {
    this.#last = sighting;
  }

  source(kind: ObservedKind): SourceDefinition<string> {
    return {
      key: `core/${kind}`,
      schema: blockSchema,
      load: () => this.#load(kind),
      baseline: (current) => current,
      update: (previous, current) => update(kind, previous, current),
      removed: () => gone[kind],
    };
  }

  sources(): readonly SourceDefinition<string>[] {
    return [this.source("references"), this.source("mcp"), this.source("skills")];
  }

  #load(kind: ObservedKind): LoadResult<string> {
    if (this.#last === null) return new Unavailable("not yet observed");
    const block = this.#last[kind] ?? null;
    return block === null ? absent : observedValue(block);
  }
}
