// Reads a project's files and outlines them; an unchanged file is not read again.
import { statSync } from "node:fs";
import { basename, extname, resolve } from "node:path";
import { maskSecrets } from "../../log/secrets.ts";
import { Confinement, isWithin, readFile, threadDisk } from "../../sources/read-file.ts";
import type { Grammars } from "./grammars.ts";
import { type OutlinedFile, outlinePlainText } from "./key-file-listing.ts";

/** Larger files, in bytes, are generated code or data. */
const MAX_FILE_BYTES = 400_000;
const MAX_OUTLINE_LINES = 120;
const DOCUMENT_EXTENSIONS: ReadonlySet<string> = new Set([".md", ".mdx", ".markdown"]);
/** Instruction files are in the context already. */
const INSTRUCTION_FILES: ReadonlySet<string> = new Set(["AGENTS.md", "CLAUDE.md", "CONTEXT.md"]);

interface OutlinerDeps {
  readonly directory: string;
  /** The folder outside which no file is read, even through links. */
  readonly root: string;
  readonly grammars: Grammars;
  /** Called if a file can't be read, or its grammar can't be loaded. */
  readonly failed: (error: unknown) => void;
}

export class Outliner {
  readonly #known = new Map<string, { readonly stamp: string; readonly file: OutlinedFile }>();

  constructor(private readonly deps: OutlinerDeps) {}

  /** Returns a cheap stamp that changes with the file's content; null for a file that isn't outlined. */
  readStamp(path: string): string | null {
    const full = resolve(this.deps.directory, path);
    if (!isWithin(this.deps.root, full) || INSTRUCTION_FILES.has(basename(path))) return null;
    const stat = statSync(full, { throwIfNoEntry: false, bigint: true });
    if (!stat?.isFile() || stat.size > MAX_FILE_BYTES) return null;
    return `${stat.size} ${stat.mtimeNs} ${stat.ino}`;
  }

  /** Returns null if the file is not a text that is outlined. Never rejects. */
  async outline(path: string): Promise<OutlinedFile | null> {
    try {
      const stamp = this.readStamp(path);
      if (stamp === null) return null;
      const known = this.#known.get(path);
      if (known?.stamp === stamp) return known.file;
      const text = await this.#readText(path);
      if (text === null || text.includes("\0")) return null;
      const lines = await this.#outlineLines(path, text);
      const file = { path, lines: lines.slice(0, MAX_OUTLINE_LINES).map(maskSecrets) };
      this.#known.set(path, { stamp, file });
      return file;
    } catch (error) {
      this.deps.failed(error);
      return null;
    }
  }

  async #readText(path: string): Promise<string | null> {
    const confinement = new Confinement(this.deps.root, () => undefined);
    const settings = { limitBytes: MAX_FILE_BYTES, now: Date.now, confinement };
    const file = await readFile(resolve(this.deps.directory, path), settings, threadDisk);
    return typeof file === "string" ? null : file.content;
  }

  async #outlineLines(path: string, text: string): Promise<readonly string[]> {
    try {
      const lines = await this.deps.grammars.outline(path, text);
      if (lines) return lines;
    } catch (error) {
      this.deps.failed(error);
    }
    return outlinePlainText(text, DOCUMENT_EXTENSIONS.has(extname(path).toLowerCase()));
  }
}
