// `session-runtime memory`: reads, corrects and forgets a project's memories from the shell.
import { resolve } from "node:path";
import { Refusal } from "../../features/refusal.ts";
import type { ShellAnswer, ShellCall, ShellCommand } from "../../features/shell-word.ts";
import type { Typed } from "../../log/command-line.ts";
import type { Project } from "../../project/project.ts";
import { type Changed, IMPORTANCE, isActive, isCandidate, MemoryDesk } from "./answers.ts";
import { changedText, JOINED } from "./change-words.ts";
import { exportTo, importFrom } from "./memory-file.ts";
import { listText, showText } from "./memory-text.ts";
import { CATEGORIES, type Category, type Memory, type Wording } from "./record.ts";
import { onProject } from "./shell-project.ts";
import type { MemoryStore } from "./sqlite-store.ts";

export const memoryWord: ShellCommand = {
  details: [
    "It works on this folder's project: clones and worktrees of a repository are one project. A clone from another remote is one of its own until you `join` it.",
    "A running session gets each change with its next call to the model.",
    "Actions: list, show, add, edit, confirm, archive, restore, forget, join, export, import, check.",
    "A list names each memory by a number; show has its ref, too.",
    "`forget` deletes for good. `check` looks for secrets in all projects; with --fix it masks them.",
    "Candidates were found by a model. No session gets one until you confirm it, or all.",
  ],
  args: {
    do: { type: "positional", required: false, description: "Action (default: list)" },
    what: { type: "positional", required: false, description: "A number, a ref, a text or a file" },
    text: { type: "string", description: "New text", valueHint: "text" },
    category: { type: "string", description: CATEGORIES.join(", "), valueHint: "name" },
    importance: { type: "string", description: "0 to 100", valueHint: "number" },
    permanent: { type: "boolean", description: "Show it first, and never archive it by itself" },
    ordinary: { type: "boolean", description: "No longer permanent" },
    all: { type: "boolean", description: "list: archived ones too; forget: the whole project" },
    fix: { type: "boolean", description: "check: mask the secrets that it finds, for good" },
    force: { type: "boolean", description: "export: overwrite an existing file" },
  },
  examples: [
    { line: "session-runtime memory", does: "lists this project's memories" },
    {
      line: 'session-runtime memory edit 3 --text "Use pnpm."',
      does: "corrects one",
    },
    { line: "session-runtime memory export memories.md", does: "writes all of them to a file" },
    { line: "session-runtime memory check --fix", does: "masks secrets that were stored" },
  ],
  access: "makes",
  run: async (call) => {
    if (call.given.get("do") !== "check") return onProject(call, carryOut);
    const { checkKept } = await import("./mask-kept.ts");
    return checkKept(call);
  },
};

function carryOut(call: ShellCall, store: MemoryStore, project: Project): ShellAnswer {
  const { given, nowMs, directory } = call;
  const what = wordOf(given.get("what")) ?? "";
  const file = what === "" ? null : resolve(directory, what);
  const by = { by: "user", sessionId: null, segment: null, nowMs } as const;
  const desk = new MemoryDesk(store, project, by);
  const action = wordOf(given.get("do")) ?? "list";
  switch (action) {
    case "list":
      return list(desk, given.get("all") === true ? "all" : "active", call.typed);
    case "show": {
      const { memory, member } = desk.show(what);
      return { text: showText(memory, member, nowMs), values: { ...memory, member } };
    }
    case "add": {
      const wording = wordingOf(given);
      const base = { category: "ARCHITECTURE", importance: IMPORTANCE.user } as const;
      const text = wording.text ?? what;
      return changed(desk.write({ permanence: "ordinary", ...base, ...wording, text }));
    }
    case "edit": {
      const wording = wordingOf(given);
      if (Object.keys(wording).length === 0) {
        throw new Refusal(
          "Give at least one of --text, --category, --importance, --permanent and --ordinary.",
        );
      }
      return changed(desk.edit(what, wording));
    }
    case "join":
      desk.join();
      return answer(JOINED);
    case "confirm":
    case "archive":
    case "restore":
      return changed(desk[action](what));
    case "forget":
      if (given.get("all") === true) return forgetProject(store, project, what);
      return changed(desk.forget(what));
    case "export":
      return exportTo(store, project, {
        file,
        existing: given.get("force") === true ? "overwritten" : "kept",
      });
    case "import":
      return importFrom(store, project, file, nowMs);
    default:
      throw new Refusal(
        "Use list, show, add, edit, confirm, archive, restore, forget, join, export, import or check; with a team's store push, pull or status, too.",
      );
  }
}

const hints = (typed: Typed) => ({
  empty: `\`${typed('memory add "…"')}\` adds something, and so does the model by itself.`,
  full: `\`${typed("memory --help")}\` says how to correct, confirm, archive and forget them.`,
  join: `\`${typed("memory join")}\``,
});

function list(desk: MemoryDesk, which: "all" | "active", typed: Typed): ShellAnswer {
  const { project, members, shared, notes, apart, ...known } = desk.known();
  const isListed = (memory: Memory) => isActive(memory) || isCandidate(memory);
  const memories = which === "all" ? known.memories : known.memories.filter(isListed);
  const named = memories.map((memory) => ({ ...memory, member: members.get(memory.id) ?? null }));
  return {
    text: listText({ project, memories, members, shared, notes, apart }, hints(typed)),
    values: { project, memories: named, shared, notes },
  };
}

/** The name is asked for, so that nobody deletes what is another folder's. */
function forgetProject(store: MemoryStore, project: Project, named: string): ShellAnswer {
  if (named !== project.name) {
    throw new Refusal(
      `This deletes all memories and notes of ${project.name} for good. To do it: memory forget ${project.name} --all`,
    );
  }
  store.forgetProject(project.id);
  return answer(`Deleted all memories and notes of ${project.name} for good.`);
}

/** @throws Refusal */
function wordingOf(given: ShellCall["given"]): Partial<Wording> {
  const text = wordOf(given.get("text"));
  const category = wordOf(given.get("category"));
  const importance = wordOf(given.get("importance"));
  const permanence = permanenceOf(given);
  return {
    ...(text !== null && { text }),
    ...(category !== null && { category: categoryOf(category) }),
    ...(importance !== null && { importance: importanceOf(importance) }),
    ...(permanence !== null && { permanence }),
  };
}

function permanenceOf(given: ShellCall["given"]): Wording["permanence"] | null {
  if (given.get("permanent") === true) return "permanent";
  return given.get("ordinary") === true ? "ordinary" : null;
}

/** In any case, with spaces or hyphens. @throws Refusal */
export function categoryOf(written: string): Category {
  const name = written
    .trim()
    .toUpperCase()
    .replace(/[\s-]+/g, "_");
  const found = CATEGORIES.find((category) => category === name);
  if (found) return found;
  throw new Refusal(`There is no category "${written}"; there are ${CATEGORIES.join(", ")}.`);
}

function importanceOf(written: string): number {
  const importance = Number(written);
  if (Number.isInteger(importance) && importance >= 0 && importance <= 100) return importance;
  throw new Refusal("The importance is a whole number from 0 to 100.");
}

function wordOf(given: string | boolean | undefined): string | null {
  return typeof given === "string" && given !== "" ? given : null;
}

const changed = (came: Changed) => answer(changedText(came, "person"));

function answer(text: string): ShellAnswer {
  return { text, values: { changed: "yes", text } };
}
