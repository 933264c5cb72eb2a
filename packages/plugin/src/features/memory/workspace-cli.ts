// Implements `session-runtime workspace`: projects that read each other's memories.
import { toSingleLine } from "../../context/frames.ts";
import type { CliAnswer, CliCall, CliCommandCode } from "../../feature-api/command.ts";
import { UserFacingError } from "../../feature-api/user-facing-error.ts";
import type { Project } from "../../project/project.ts";
import { parseCategory, runOnProject } from "./memory-cli.ts";
import { CATEGORIES, type Category, type Workspace } from "./record.ts";
import type { MemoryStore } from "./sqlite-store.ts";

export const workspaceCli: CliCommandCode = {
  details: [
    "Sessions of a member get what the others share, with the project named. A project",
    "is in one workspace at most. Without a workspace no project sees another's memories.",
    "Actions: create, join, leave, show.",
  ],
  args: {
    do: { type: "positional", required: false, description: "Action (default: show)" },
    name: { type: "positional", required: false, description: "The workspace" },
    share: {
      type: "string",
      description: "join: categories to share with the others, with commas; all, none",
      valueHint: "names",
    },
  },
  examples: [
    { line: "session-runtime workspace create shop", does: "makes a workspace, and joins it" },
    {
      line: "session-runtime workspace join shop --share ARCHITECTURE,NAMING",
      does: "joins it, and shares two categories",
    },
  ],
  access: "makes",
  run: (call) => runOnProject(call, runAction),
};

function runAction({ given, nowMs }: CliCall, store: MemoryStore, project: Project): CliAnswer {
  const name = String(given.get("name") ?? "").trim();
  switch (given.get("do") ?? "show") {
    case "create": {
      if (!/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,60}$/u.test(name)) {
        throw new UserFacingError(
          "Give the workspace a name of letters, digits, spaces, dots and hyphens.",
        );
      }
      if (!store.createWorkspace(name, nowMs)) {
        throw new UserFacingError(`The workspace ${name} already exists; join it.`);
      }
      return joinWorkspace(
        store,
        project,
        { name, shares: parseShares(given.get("share")) },
        nowMs,
      );
    }
    case "join":
      return joinWorkspace(
        store,
        project,
        { name, shares: parseShares(given.get("share")) },
        nowMs,
      );
    case "leave": {
      const left = store.leaveWorkspace(project.id);
      if (left === null) throw new UserFacingError(`${project.name} is in no workspace.`);
      return { text: `${project.name} has left ${left}.`, values: { left } };
    }
    case "show": {
      const own = store.findWorkspace(project.id);
      const all = store.workspaces();
      return { text: renderWorkspace(project, own, all), values: { workspace: own, all } };
    }
    default:
      throw new UserFacingError("Unknown action. Use create, join, leave or show.");
  }
}

function joinWorkspace(
  store: MemoryStore,
  project: Project,
  { name, shares }: { readonly name: string; readonly shares: readonly Category[] },
  nowMs: number,
): CliAnswer {
  if (!store.joinWorkspace(project, name, shares, nowMs)) {
    throw new UserFacingError(`There is no workspace ${toSingleLine(name)}; \`create\` makes one.`);
  }
  const text = `${project.name} is in ${name}, and shares ${renderShares(shares)}.`;
  return { text, values: { workspace: name, shares } };
}

/** @throws UserFacingError */
function parseShares(given: string | boolean | undefined): readonly Category[] {
  if (typeof given !== "string" || given === "" || given === "all") return CATEGORIES;
  if (given === "none") return [];
  const named = given.split(",").map(parseCategory);
  return CATEGORIES.filter((category) => named.includes(category));
}

function renderWorkspace(
  project: Project,
  own: Workspace | null,
  all: readonly Workspace[],
): string {
  if (own) {
    const members = own.members.map(
      ({ name, worktree, shares }) => `  ${name} (${worktree}) shares ${renderShares(shares)}`,
    );
    return [`${project.name} is in ${own.name}:`, ...members].join("\n");
  }
  const names = all.map(({ name }) => name).join(", ");
  const others = names === "" ? "" : ` Workspaces: ${names}.`;
  return `${project.name} is in no workspace.${others}`;
}

function renderShares(shares: readonly Category[]): string {
  if (shares.length === 0) return "nothing";
  return shares.length === CATEGORIES.length ? "all categories" : shares.join(", ");
}
