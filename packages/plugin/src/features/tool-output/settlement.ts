// Limits what a tool call leaves in history, in one step.
// Folder: Bounds on tools: what a call leaves in the history, the files that hold the whole, and how many tools a
// provider takes.
import { toFields } from "../../context/fields.ts";
import type { OutputLimits, OutputPlace } from "../../feature-api/feature-context.ts";
import { classifyTool } from "../../ledger/host-tools.ts";
import { joinText, type McpContent, reduceLimits, replaceText } from "./content.ts";
import { recoverOutput, shortenPage } from "./host-file.ts";
import { fitsLimits } from "./limits.ts";
import type { ManagedFiles } from "./managed-files.ts";
import { type OutputRetention, renderPreview, toPreviewText } from "./preview.ts";

/** A tool call that has ended. */
export interface SettledCall {
  readonly tool: string;
  readonly callId: string;
}

/** The parts that a settlement writes into a result, complete and in one synchronous step. */
type BoundedResult =
  | { readonly output: string; readonly metadata: unknown }
  | { readonly content: McpContent; readonly metadata: unknown };

/** Limits what a tool call leaves in history, and stores the complete text in a file. */
export class ToolOutput {
  constructor(
    private readonly deps: {
      readonly files: ManagedFiles;
      readonly howToRead: OutputPlace["howToRead"];
      /** The limit for one result, the host's own or a stricter one. */
      readonly limits: () => OutputLimits;
      /** Is called if a complete text could not be stored; the preview says so. */
      readonly lost: (call: SettledCall, bytes: number, reason: string) => void;
      /** Is called when a complete text was stored. */
      readonly kept: () => void;
    },
  ) {}

  /**
   * Bounds a live result. The result does not change until the file is written, and then it changes all at
   * once: whenever this is interrupted, the host holds either the whole result or the bounded one, and it
   * records neither before this has ended.
   */
  async settle(call: SettledCall, result: object): Promise<void> {
    Object.assign(result, await this.#boundResult(call, result));
  }

  /** Bounds the text of a failed call, which has no result to settle; null if it is within the limit. */
  boundFailure(call: SettledCall, text: string): Promise<string> | null {
    const limits = this.deps.limits();
    return fitsLimits(text, limits) ? null : this.#boundFullText(call, text, limits);
  }

  async #boundFullText(call: SettledCall, text: string, limits: OutputLimits): Promise<string> {
    return renderPreview(toPreviewText(text), limits, await this.#storeText(call, text));
  }

  async #boundResult(call: SettledCall, result: object): Promise<BoundedResult | null> {
    if ("output" in result && typeof result.output === "string") {
      return this.#boundText(call, result.output, "metadata" in result ? result.metadata : null);
    }
    if ("content" in result && Array.isArray(result.content) && !isScriptCall(call)) {
      return this.#boundContent(call, result.content, result);
    }
    return null;
  }

  async #boundText(
    call: SettledCall,
    output: string,
    metadata: unknown,
  ): Promise<BoundedResult | null> {
    const limits = this.deps.limits();
    const earlier = toFields(metadata).outputPath;
    if (typeof earlier === "string") {
      const sides = await recoverOutput(output, earlier, this.deps.files.folder, limits);
      const regained = sides && renderPreview(sides, limits, this.#toRetention(earlier));
      if (regained !== null) return { output: regained, metadata: addPaths(metadata, earlier) };
    }
    if (fitsLimits(output, limits)) return null;
    const page = classifyTool(call.tool) === "read" ? shortenPage(output, metadata, limits) : null;
    if (page !== null) return { output: page, metadata };
    const keeping = await this.#storeText(call, output);
    return {
      output: renderPreview(toPreviewText(output), limits, keeping),
      metadata: keeping.kind === "kept" ? addPaths(metadata, keeping.path) : metadata,
    };
  }

  async #boundContent(
    call: SettledCall,
    content: McpContent,
    result: object,
  ): Promise<BoundedResult | null> {
    const { metadata, structuredContent } = toMcpResult(result);
    const limits = reduceLimits(content, this.deps.limits());
    const joined = joinText(content);
    if (joined === null || fitsLimits(joined, limits)) return null;
    const text = toReadableText(joined, structuredContent);
    const keeping = await this.#storeText(call, text);
    return {
      content: replaceText(content, renderPreview(toPreviewText(text), limits, keeping)),
      metadata: keeping.kind === "kept" ? addPaths(metadata, keeping.path) : metadata,
    };
  }

  #toRetention(path: string) {
    return { kind: "kept", path, howToRead: this.deps.howToRead } as const;
  }

  async #storeText(call: SettledCall, text: string): Promise<OutputRetention> {
    const stored = await this.deps.files.store(text);
    if (stored.kind === "kept") {
      this.deps.kept();
      return this.#toRetention(stored.path);
    }
    this.deps.lost(call, Buffer.byteLength(text), stored.reason);
    return { kind: "lost" };
  }
}

/**
 * Matches by its id a tool call from within a script of the host's code mode: the whole result goes to the
 * script, and only what the script returns goes into history.
 */
function isScriptCall({ callId }: SettledCall): boolean {
  return /\/\d+$/.test(callId);
}

/** Returns the other parts that an MCP server's result may hold. */
function toMcpResult(result: object): {
  readonly metadata?: unknown;
  readonly structuredContent?: unknown;
} {
  return result;
}

/** In a longer text, a second rendering would cost more memory than its line ends are worth. */
const RENDERED_UNITS = 4_194_304;

/** Adds line ends to a structured result, which the host renders as one line, as read and grep need lines. */
function toReadableText(joined: string, structured: unknown): string {
  if (joined.length > RENDERED_UNITS) return joined;
  if (joined !== JSON.stringify(structured)) return joined;
  return JSON.stringify(structured, null, 2);
}

/** Adds a path, and keeps those that the tool itself has named. */
function addPaths(metadata: unknown, path: string): object {
  const fields = toFields(metadata);
  const named = Array.isArray(fields.outputPaths) ? fields.outputPaths : [];
  const earlier = [...named, fields.outputPath].filter((value) => typeof value === "string");
  return { ...fields, outputPaths: [...new Set([...earlier, path])] };
}
