// Implements `session-runtime memory`: reads, corrects and forgets a project's memories from the shell.
import { resolve } from "node:path";
import type { CliAnswer, CliCall, CliCommandCode } from "../../feature-api/command.ts";
import { UserFacingError } from "../../feature-api/user-facing-error.ts";
import type { RenderCommandLine } from "../../log/notices.ts";
import { enterProject, findProject } from "../../project/find-project.ts";
import type { Project } from "../../project/project.ts";
import { StorageError } from "../../storage/errors.ts";
import {
  type ChangeResult,
  isActive,
  isCandidate,
  MAX_IMPORTANCE,
  MemoryActions,
} from "./actions.ts";
import { JOINED_ANSWER, renderChange } from "./change-text.ts";
import { exportMemories, importFile } from "./memory-file.ts";
import { renderMemoryDetails, renderMemoryList } from "./memory-text.ts";
import { CATEGORIES, type Category, type Memory, type MemoryContent } from "./record.ts";
import { createSqliteMemoryStore, type MemoryStore } from "./sqlite-store.ts";

// Finds the project that a shell command is about.

/** Runs a command's action on the project of the command's folder. */
export async function runOnProject(
  call: CliCall,
  action: (call: CliCall, store: MemoryStore, project: Project) => CliAnswer | Promise<CliAnswer>,
): Promise<CliAnswer> {
  const { driver, directory, nowMs } = call;
  const store = createSqliteMemoryStore(driver);
  return action(call, store, await findProjectHere(store, directory, nowMs));
}

/** Without write access the project is used as recorded: reading works, and changes are refused as usual. */
async function findProjectHere(
  store: MemoryStore,
  directory: string,
  nowMs: number,
): Promise<Project> {
  try {
    return await enterProject(store, directory, nowMs);
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== "read_only") throw error;
    return findProject(directory, store);
  }
}

export const memoryCli: CliCommandCode = {
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
    permanent: {
      type: "boolean",
      description: "List it first, and never archive it automatically",
    },
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
    if (call.given.get("do") !== "check") return runOnProject(call, runAction);
    const { checkStoredTexts } = await import("./mask-stored.ts");
    return checkStoredTexts(call);
  },
};

function runAction(call: CliCall, store: MemoryStore, project: Project): CliAnswer {
  const { given, nowMs, directory } = call;
  const what = toNonEmptyText(given.get("what")) ?? "";
  const file = what === "" ? null : resolve(directory, what);
  const by = { by: "user", sessionId: null, segment: null, nowMs } as const;
  const actions = new MemoryActions(store, project, by);
  const action = toNonEmptyText(given.get("do")) ?? "list";
  switch (action) {
    case "list":
      return listMemories(actions, given.get("all") === true ? "all" : "active", call.typed);
    case "show": {
      const { memory, member } = actions.show(what);
      return { text: renderMemoryDetails(memory, member, nowMs), values: { ...memory, member } };
    }
    case "add": {
      const wording = parseWording(given);
      const base = { category: "ARCHITECTURE", importance: MAX_IMPORTANCE.user } as const;
      const text = wording.text ?? what;
      return toChangeAnswer(actions.write({ permanence: "ordinary", ...base, ...wording, text }));
    }
    case "edit": {
      const wording = parseWording(given);
      if (Object.keys(wording).length === 0) {
        throw new UserFacingError(
          "Give at least one of --text, --category, --importance, --permanent and --ordinary.",
        );
      }
      return toChangeAnswer(actions.edit(what, wording));
    }
    case "join":
      actions.join();
      return toAnswer(JOINED_ANSWER);
    case "confirm":
    case "archive":
    case "restore":
      return toChangeAnswer(actions[action](what));
    case "forget":
      if (given.get("all") === true) return forgetProject(store, project, what);
      return toChangeAnswer(actions.forget(what));
    case "export":
      return exportMemories(store, project, {
        file,
        existing: given.get("force") === true ? "overwritten" : "kept",
      });
    case "import":
      return importFile(store, project, file, nowMs);
    default:
      throw new UserFacingError(
        "Use list, show, add, edit, confirm, archive, restore, forget, join, export, import or check; with a team's store push, pull or status, too.",
      );
  }
}

const createHints = (typed: RenderCommandLine) => ({
  empty: `\`${typed('memory add "…"')}\` adds one, and the model adds some by itself.`,
  full: `\`${typed("memory --help")}\` says how to correct, confirm, archive and forget them.`,
  join: `\`${typed("memory join")}\``,
});

function listMemories(
  actions: MemoryActions,
  which: "all" | "active",
  typed: RenderCommandLine,
): CliAnswer {
  const { project, members, shared, notes, apart, ...known } = actions.listKnown();
  const isListed = (memory: Memory) => isActive(memory) || isCandidate(memory);
  const memories = which === "all" ? known.memories : known.memories.filter(isListed);
  const named = memories.map((memory) => ({ ...memory, member: members.get(memory.id) ?? null }));
  return {
    text: renderMemoryList(
      { project, memories, members, shared, notes, apart },
      createHints(typed),
    ),
    values: { project, memories: named, shared, notes },
  };
}

/** Requires the project's name, so that nobody deletes another folder's memories by mistake. */
function forgetProject(store: MemoryStore, project: Project, named: string): CliAnswer {
  if (named !== project.name) {
    throw new UserFacingError(
      `This deletes all memories and notes of ${project.name} for good. To do it: memory forget ${project.name} --all`,
    );
  }
  store.forgetProject(project.id);
  return toAnswer(`Deleted all memories and notes of ${project.name} for good.`);
}

/** @throws UserFacingError */
function parseWording(given: CliCall["given"]): Partial<MemoryContent> {
  const text = toNonEmptyText(given.get("text"));
  const category = toNonEmptyText(given.get("category"));
  const importance = toNonEmptyText(given.get("importance"));
  const permanence = parsePermanence(given);
  return {
    ...(text !== null && { text }),
    ...(category !== null && { category: parseCategory(category) }),
    ...(importance !== null && { importance: parseImportance(importance) }),
    ...(permanence !== null && { permanence }),
  };
}

function parsePermanence(given: CliCall["given"]): MemoryContent["permanence"] | null {
  if (given.get("permanent") === true) return "permanent";
  return given.get("ordinary") === true ? "ordinary" : null;
}

/** Accepts any case, spaces or hyphens. @throws UserFacingError */
export function parseCategory(written: string): Category {
  const name = written
    .trim()
    .toUpperCase()
    .replace(/[\s-]+/g, "_");
  const found = CATEGORIES.find((category) => category === name);
  if (found) return found;
  throw new UserFacingError(
    `There is no category "${written}"; the categories are ${CATEGORIES.join(", ")}.`,
  );
}

function parseImportance(written: string): number {
  const importance = Number(written);
  if (Number.isInteger(importance) && importance >= 0 && importance <= 100) return importance;
  throw new UserFacingError("The importance must be a whole number from 0 to 100.");
}

function toNonEmptyText(given: string | boolean | undefined): string | null {
  return typeof given === "string" && given !== "" ? given : null;
}

const toChangeAnswer = (came: ChangeResult) => toAnswer(renderChange(came, "person"));

function toAnswer(text: string): CliAnswer {
  return { text, values: { changed: "yes", text } };
}
