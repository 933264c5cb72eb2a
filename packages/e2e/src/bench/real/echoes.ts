// What recorded sessions carry that is likely dead weight: what was said before, and what was made untrue.

import { classifyTool } from "@session-runtime/opencode/ledger/host-tools";
import {
  listSteps,
  type RecordedCall,
  type RecordedSession,
} from "../../../../cli/src/simulation/recorded.ts";
import { type Column, markdownTable } from "../../terminal/table.ts";

export const ECHOES = [
  "arguments of edits and writes",
  "… of a file that the same tool changes again",
  "arguments of other calls",
  "results of reads",
  "… that an edit's step used",
  "… that are read again",
  "results of commands, searches and others",
  "… of a call that is made again",
  "results of edits and writes",
  "what the model and the user said",
] as const;

type Echo = (typeof ECHOES)[number];

/** In characters; carried: times the calls that come after. */
interface Weight {
  readonly written: number;
  readonly carried: number;
}

/** Of all sessions together. */
export class Echoes {
  readonly #weights = new Map<Echo, Weight>();
  #all: Weight = { written: 0, carried: 0 };

  constructor(sessions: readonly RecordedSession[]) {
    for (const session of sessions) this.#see(session);
  }

  /** Of all that was said, called and returned. */
  weightShare(echo: Echo): Weight {
    const { written, carried } = this.#weights.get(echo) ?? { written: 0, carried: 0 };
    return { written: written / this.#all.written, carried: carried / this.#all.carried };
  }

  #see(session: RecordedSession): void {
    const steps = listSteps(session);
    const calls = steps.flatMap((step, at) => step.calls.map((call) => ({ ...call, at })));
    const usedByEdits = new Set(
      steps.flatMap((step) => (step.calls.some(changes) ? step.needs : [])),
    );
    const left = (at: number) => steps.length - at;
    let number = 0;
    for (const turn of session.turns) {
      this.#add("what the model and the user said", turn.chars, left(number));
      for (const { chars } of turn.steps) {
        this.#add("what the model and the user said", chars, left(number));
        number += 1;
      }
    }
    for (const [index, call] of calls.entries()) {
      const later = {
        call: calls.slice(index + 1).some((other) => isAgain(call, other)),
        edit: usedByEdits.has(call.result),
      };
      for (const [echo, chars] of splitEchoes(call, later)) this.#add(echo, chars, left(call.at));
    }
  }

  #add(echo: Echo, chars: number, calls: number): void {
    const added = (weight: Weight | undefined) => ({
      written: (weight?.written ?? 0) + chars,
      carried: (weight?.carried ?? 0) + chars * calls,
    });
    this.#weights.set(echo, added(this.#weights.get(echo)));
    if (!echo.startsWith("…")) this.#all = added(this.#all);
  }
}

function changes({ tool }: RecordedCall): boolean {
  const kind = classifyTool(tool);
  return kind === "edit" || kind === "write";
}

/** The records number the targets of each tool by themselves. */
function isAgain(call: RecordedCall, { tool, target, from }: RecordedCall): boolean {
  return tool === call.tool && target === call.target && (changes(call) || from === call.from);
}

/** What comes later: the same call, and an edit that uses its result. */
interface LaterUses {
  readonly call: boolean;
  readonly edit: boolean;
}

function splitEchoes(call: RecordedCall, later: LaterUses): readonly (readonly [Echo, number])[] {
  const { chars, resultChars } = call;
  if (changes(call))
    return [
      ["arguments of edits and writes", chars],
      ["… of a file that the same tool changes again", later.call ? chars : 0],
      ["results of edits and writes", resultChars],
    ];
  if (classifyTool(call.tool) === "read")
    return [
      ["arguments of other calls", chars],
      ["results of reads", resultChars],
      ["… that an edit's step used", later.edit ? resultChars : 0],
      ["… that are read again", later.call ? resultChars : 0],
    ];
  return [
    ["arguments of other calls", chars],
    ["results of commands, searches and others", resultChars],
    ["… of a call that is made again", later.call ? resultChars : 0],
  ];
}

const COLUMNS: readonly Column[] = [
  { title: "share of all characters", align: "left" },
  { title: "written", align: "right" },
  { title: "carried, if nothing goes", align: "right" },
];

export function echoTable(sessions: readonly RecordedSession[]): string {
  const echoes = new Echoes(sessions);
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  return markdownTable(
    COLUMNS,
    ECHOES.map((echo) => {
      const { written, carried } = echoes.weightShare(echo);
      return [echo, percent(written), percent(carried)];
    }),
  );
}
