// Implements `/ctx-memory` and `/ctx-note`.
import { type ActionCommand, type CommandCall, splitFirstWord } from "../../feature-api/command.ts";
import { answerWithNote, UserFacingError } from "../../feature-api/user-facing-error.ts";
import {
  type ChangeResult,
  isActive,
  isCandidate,
  MAX_IMPORTANCE,
  MemoryActions,
} from "./actions.ts";
import {
  JOINED_ANSWER,
  renderChange,
  renderFinishedNotes,
  renderStoredAnswer,
} from "./change-text.ts";
import { renderMemoryDetails, renderMemoryList } from "./memory-text.ts";
import { addNote, finishNotes, renderNoteLine } from "./note-answers.ts";
import type { ProjectMemory } from "./project-memory.ts";
import { CATEGORIES, type Category } from "./record.ts";

export function openCommands(memory: ProjectMemory, now: () => number): readonly ActionCommand[] {
  return [
    {
      kind: "action",
      name: "ctx-memory",
      dialog: () => null,
      act: (call) => answerWithNote(() => runMemoryCommand(memory, call, now())),
    },
    {
      kind: "action",
      name: "ctx-note",
      dialog: () => null,
      act: (call) => answerWithNote(() => runNotesCommand(memory, call, now())),
    },
  ];
}

const MEMORY_LIST_HINTS = {
  empty: "/ctx-memory add TEXT adds one, and the model adds some by itself.",
  full: "/ctx-memory show 3 says where number 3 comes from; edit 3 TEXT, archive 3 and forget 3 change it; confirm 3, or confirm all, gives candidates to sessions. /ctx-note done n:… closes a note.",
  join: "/ctx-memory join",
};

/** The list is limited, because it is a message that stays in the session. */
const MAX_LISTED_MEMORIES = 100;

async function runMemoryCommand(
  memory: ProjectMemory,
  call: CommandCall,
  nowMs: number,
): Promise<string> {
  const [action = "", rest] = splitFirstWord(call.args);
  const by = { by: "user", sessionId: call.sessionId, segment: null, nowMs } as const;
  const actions = new MemoryActions(memory.store, await memory.findProject(), by);
  switch (action) {
    case "":
    case "list": {
      const { memories, shared, ...known } = actions.listKnown();
      const active = memories.filter((memory) => isActive(memory) || isCandidate(memory));
      const listed = {
        ...known,
        memories: active.slice(0, MAX_LISTED_MEMORIES),
        shared: shared.slice(0, MAX_LISTED_MEMORIES),
      };
      const text = renderMemoryList(listed, MEMORY_LIST_HINTS);
      const rest = active.length + shared.length - listed.memories.length - listed.shared.length;
      return rest === 0
        ? text
        : `${text}\n\n${rest} more: \`memory\` on the command line lists all.`;
    }
    case "show": {
      const { memory: found, member } = actions.show(rest);
      return renderMemoryDetails(found, member, nowMs);
    }
    case "add": {
      const [category, text] = splitCategory(rest);
      return renderForPerson(
        actions.write({ category, text, importance: MAX_IMPORTANCE.user, permanence: "ordinary" }),
      );
    }
    case "edit": {
      const [ref, text] = splitFirstWord(rest);
      return renderForPerson(actions.edit(ref, { text }));
    }
    case "confirm":
    case "archive":
    case "restore":
    case "forget":
      return renderForPerson(actions[action](rest));
    case "join": {
      actions.join();
      memory.leaveProject();
      return JOINED_ANSWER;
    }
    default:
      throw new UserFacingError(
        "Type /ctx-memory alone for a list, or: show 3, add [CATEGORY] TEXT, edit 3 TEXT, confirm 3, archive 3, restore 3, forget 3, join.",
      );
  }
}

async function runNotesCommand(
  memory: ProjectMemory,
  call: CommandCall,
  nowMs: number,
): Promise<string> {
  const { sessionId, args } = call;
  const project = await memory.findProject();
  const { store } = memory;
  const writer = { project, sessionId, by: "user", nowMs } as const;
  const [action, rest] = splitFirstWord(args);
  if (action === "") {
    const notes = store.openNotes(project.id, sessionId);
    return notes.length === 0
      ? "There are no open notes. /ctx-note TEXT adds one for this session, /ctx-note project TEXT for the project."
      : `${notes.map(renderNoteLine).join("\n")}\n\n/ctx-note done n:… closes one.`;
  }
  if (action === "done") return renderFinishedNotes(finishNotes(store, writer, rest));
  const note =
    action === "project"
      ? ({ text: rest, scope: "project" } as const)
      : ({ text: args, scope: "session" } as const);
  return renderStoredAnswer(addNote(store, writer, note).ref);
}

const renderForPerson = (changed: ChangeResult) => renderChange(changed, "person");

function splitCategory(text: string): readonly [Category, string] {
  const [word, rest] = splitFirstWord(text);
  const category = CATEGORIES.find((one) => one === word.toUpperCase());
  return category ? [category, rest] : ["ARCHITECTURE", text];
}
