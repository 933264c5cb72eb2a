// Measures which earlier words of a simulated session are still in a request, word for word.
import {
  type HostMessage,
  hasEnded,
  hasSentContent,
  isText,
  readResultText,
} from "@session-runtime/opencode/ledger/message";
import { lineHeadsIn, SyntheticWords } from "./made-up.ts";
import type { CallPosition } from "./play.ts";
import { listTurns, type RecordedSession } from "./recorded.ts";
import type { SimulatedSession } from "./session.ts";

/** Holds a share over a session's calls: the mean, and the lowest of any call. */
export interface Share {
  readonly mean: number;
  readonly worst: number;
}

/** Holds the shares of earlier words; null where no call had any before it. */
export interface InstructionFigures {
  /** The share of the user's earlier prompts that are sent whole. */
  readonly prompts: Share | null;
  /** The same for the prompts that are at least `FAR_TURNS` turns back. */
  readonly farPrompts: Share | null;
  /** The share of lines that are sent, of the answers that closed earlier turns. */
  readonly closings: Share | null;
}

export const FAR_TURNS = 5;

interface Turn {
  readonly prompt: string;
  /** The lines of the answer that closed the turn; none where its record ends with a call. */
  readonly closing: readonly string[];
}

/** Maps prompts by the head of their first line, and closing lines by their own head. */
type WantedHeads = ReadonlyMap<string, string>;

/** Sums up the calls of one session; its `watch` is passed to `play`. */
export class InstructionTracker {
  readonly #turns: readonly Turn[];
  readonly #wanted: WantedHeads;
  readonly #found = new WeakMap<HostMessage, ReadonlySet<string>>();
  readonly #prompts = new ShareTotals();
  readonly #farPrompts = new ShareTotals();
  readonly #closings = new ShareTotals();

  constructor(recorded: RecordedSession) {
    this.#turns = listTurnWords(recorded);
    this.#wanted = new Map(
      this.#turns
        .flatMap(({ prompt, closing }) => [prompt, ...closing])
        .flatMap((text) =>
          lineHeadsIn(text)
            .slice(0, 1)
            .map((head) => [head, text] as const),
        ),
    );
  }

  get figures(): InstructionFigures {
    return {
      prompts: this.#prompts.share,
      farPrompts: this.#farPrompts.share,
      closings: this.#closings.share,
    };
  }

  readonly watch = ({ sent }: Pick<SimulatedSession, "sent">, { turn }: CallPosition): void => {
    this.#look(turn, new Set(sent.flatMap((message) => [...this.#collectFound(message)])));
  };

  /** Counts a request of this turn, given as one text. */
  look(turn: number, request: string): void {
    this.#look(turn, findWanted(request, this.#wanted));
  }

  #look(turn: number, found: ReadonlySet<string>): void {
    const earlier = this.#turns.slice(0, turn);
    const prompts = earlier.map(({ prompt }) => prompt);
    this.#prompts.add(prompts, found);
    this.#farPrompts.add(prompts.slice(0, Math.max(0, turn - FAR_TURNS + 1)), found);
    this.#closings.add(
      earlier.flatMap(({ closing }) => closing),
      found,
    );
  }

  /** Finds a message's words once, since a simulated message never changes. */
  #collectFound(message: HostMessage): ReadonlySet<string> {
    const known = this.#found.get(message);
    if (known) return known;
    const texts = message.parts.flatMap((part) =>
      isText(part)
        ? hasSentContent(part)
          ? [part.text]
          : []
        : hasEnded(part)
          ? [readResultText(part)]
          : [],
    );
    const found = findWanted(texts.join("\n\n"), this.#wanted);
    this.#found.set(message, found);
    return found;
  }
}

function findWanted(text: string, wanted: WantedHeads): ReadonlySet<string> {
  const texts = new Set(lineHeadsIn(text).flatMap((head) => wanted.get(head) ?? []));
  return new Set([...texts].filter((one) => text.includes(one)));
}

function listTurnWords(recorded: RecordedSession): readonly Turn[] {
  const words = SyntheticWords.of(recorded);
  let number = 0;
  return listTurns(recorded).map(({ chars, steps }, turn) => {
    number += steps.length;
    const last = steps.at(-1);
    const closes = last && last.calls.length === 0;
    const said = closes ? words.createAnswer(last, number - 1) : "";
    return {
      prompt: words.createPrompt(chars, turn),
      // A last line can be cut so short that it lacks a recognisable beginning.
      closing: said.split("\n").filter((line) => lineHeadsIn(line).length > 0),
    };
  });
}

class ShareTotals {
  readonly #shares: number[] = [];

  add(wanted: readonly string[], found: ReadonlySet<string>): void {
    if (wanted.length === 0) return;
    this.#shares.push(wanted.filter((text) => found.has(text)).length / wanted.length);
  }

  get share(): Share | null {
    const all = this.#shares;
    if (all.length === 0) return null;
    return {
      mean: all.reduce((sum, share) => sum + share, 0) / all.length,
      worst: Math.min(...all),
    };
  }
}
