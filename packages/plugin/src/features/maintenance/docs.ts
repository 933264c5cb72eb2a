// Defines the docs task: changes to the project's own documents, proposed as a patch that only a person applies.
import { CATEGORIES } from "../memory/record.ts";
import { composeQuestion, renderSection, type Task, toRejection } from "./task.ts";

/** The documents that may be changed, as paths from the project's root. */
export const DOCUMENT_PATHS: readonly string[] = ["ARCHITECTURE.md", "STRUCTURE.md"];

const DOCUMENTED_CATEGORIES = new Set<string>(CATEGORIES.filter((one) => one !== "CONFIG_VALUES"));
const MAX_DOCS_MEMORIES = 80;
const MAX_DOCUMENT_CHARS = 60_000;

export const docsTask: Task = {
  name: "docs",
  inspect({ memories, files, fresh }) {
    const paths = DOCUMENT_PATHS.filter((path) => files.get(path) === "there");
    const fitting = memories.filter(({ category }) => DOCUMENTED_CATEGORIES.has(category));
    const asked = fitting.slice(0, MAX_DOCS_MEMORIES);
    if (paths.length === 0 || asked.every(({ id }) => fresh.has(id))) return [];
    return [{ memories: asked, groups: [], paths }];
  },
  question: ({ memories, texts }) =>
    composeQuestion(DOCS_PROMPT, [
      renderSection(
        "memories",
        memories.map(({ ref, category, text }) => ({ ref, category, text })),
      ),
      ...[...texts].map(([path, text]) =>
        renderSection("document", [{ path, content: text.slice(0, MAX_DOCUMENT_CHARS) }]),
      ),
    ]),
  check(said, { texts }) {
    if (said.do !== "document")
      return toRejection("not_of_this_task", "ref" in said ? said.ref : "");
    const { path, find, replace, why } = said;
    const text = texts.get(path);
    if (text === undefined) return toRejection("no_evidence", "");
    // The text to replace must occur exactly once; otherwise it is unclear which place is meant.
    if (text.split(find).length !== 2 || find === replace) return toRejection("no_evidence", "");
    return { kind: "document", path, find, replace, why };
  },
};

const DOCS_PROMPT = `Below are memories and the project's own documents. Where a document says what is not so any more, or lacks something that a newcomer needs and the memories know, propose a small change of it: {"do": "document", "path": "…", "find": "whole lines of the document, word for word, that stand there once", "replace": "what is to stand in their place", "why": "…"}. Keep to the document's own words and form. A person reads the changes and decides. Most memories don't belong into the documents.`;
