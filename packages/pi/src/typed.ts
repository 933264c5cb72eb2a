// Finds what the user typed in a user's message: Pi stores a template's whole text, and extensions send prompts as
// the user's. Rows of a shell's output, a summary or an extension's message are already marked.
import { readFile } from "node:fs/promises";
import { BoundedMap } from "@session-runtime/opencode/context/bounded-map";
import { extractTyped } from "@session-runtime/opencode/ledger/host-tools";
import { isText } from "@session-runtime/opencode/ledger/message";
import type { SessionMessage } from "@session-runtime/opencode/session/history";
import type { PiApi } from "./pi.ts";

/** Limits the prompts of this process that are remembered. */
const MAX_PROMPTS = 1_000;

export class TypedWords {
  /** Maps an expanded prompt to what was typed of it. */
  readonly #typed = new BoundedMap<string, string>(MAX_PROMPTS);
  readonly #sinceMs: number;

  constructor(
    private readonly pi: Pick<PiApi, "getCommands">,
    now: () => number,
  ) {
    this.#sinceMs = now();
  }

  /** Records a prompt as it was entered, before Pi replaces a command by its template. */
  entered(text: string): void {
    const [, args] = /^\/\S+\s*([\s\S]*)$/.exec(text.trim()) ?? [];
    this.#typed.set(text.trim(), args?.trim() ?? text.trim());
  }

  /** Adds to each of the user's rows what the user typed of it. */
  async of(rows: readonly SessionMessage[]): Promise<readonly SessionMessage[]> {
    const templates = await this.#templates();
    return rows.map((row) => {
      if (row.info.role !== "user") return row;
      const parts = row.parts.map((part) => {
        if (!isText(part) || part.typed !== undefined) return part;
        const typed = this.#recoverTyped(part.text, row.info.time.created, templates);
        return typed === part.text ? part : { ...part, typed };
      });
      return { ...row, parts };
    });
  }

  #recoverTyped(text: string, createdMs: number, templates: readonly string[]): string {
    if (this.#typed.get(text.trim()) !== undefined && !text.startsWith("/")) return text;
    // An earlier process saw how it was entered, so only its templates.
    if (createdMs < this.#sinceMs) {
      return (
        templates.map((one) => extractTyped(text, one)).find((words) => words !== null) ?? text
      );
    }
    return [...this.#typed].find(([entered, args]) => isArguments(entered, args, text))?.[1] ?? "";
  }

  async #templates(): Promise<readonly string[]> {
    const files = this.pi.getCommands().flatMap(({ source, sourceInfo }) => {
      return source === "prompt" && sourceInfo ? [sourceInfo.path] : [];
    });
    return Promise.all(files.map(readTemplateBody));
  }
}

/** Says whether the arguments appear in the text that a command has become. */
function isArguments(entered: string, args: string, text: string): boolean {
  return entered.startsWith("/") && args !== "" && text.includes(args);
}

/** Reads a template without its frontmatter; empty for a file that is gone. */
async function readTemplateBody(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text.replace(/^---\r?\n[\s\S]*?\n---\r?\n/, "");
}
