// Checks what the model wrote against the messages that it was given.
import { SEGMENT_KINDS, type SegmentKind, type Tier } from "../../history/folded-text.ts";
import { MASK, maskSecrets } from "../../log/secrets.ts";
import { CATEGORIES, type Category } from "../memory/record.ts";
import type { ParsedAnswer, ParsedElement, ParsedSegment } from "./answer.ts";
import { toPlainText } from "./request.ts";
import { EVENT_TYPES, type SegmentEvent } from "./segment-table.ts";

/** Holds something that stays true of the project. */
export interface Fact {
  readonly category: Category;
  readonly importance: number;
  readonly text: string;
}

/** Holds a segment whose `first` and `last` are indices among the given messages, both included. */
export interface CheckedSegment {
  readonly first: number;
  readonly last: number;
  readonly kind: SegmentKind;
  readonly importance: number;
  readonly texts: Readonly<Record<Tier, string>>;
  readonly events: readonly (Omit<SegmentEvent, "messageId"> & { readonly at: number })[];
}

export type AnswerCheck =
  | {
      readonly kind: "good";
      readonly segments: readonly CheckedSegment[];
      readonly facts: readonly Fact[];
      readonly notes: readonly string[];
    }
  | { readonly kind: "bad"; readonly problems: readonly string[] };

const TIER_BOUNDS: readonly (readonly [name: string, tier: Tier, mostChars: number])[] = [
  ["p1", "full", 8_000],
  ["p2", "short", 4_000],
  ["p3", "brief", 1_500],
  ["p4", "line", 400],
];
const MAX_EVENTS = 12;
const MAX_FACTS = 12;
const MAX_EVENT_CHARS = 400;
const MAX_FACT_CHARS = 500;

export function checkAnswer(read: ParsedAnswer, messageCount: number): AnswerCheck {
  if (read.kind === "unreadable") return { kind: "bad", problems: [read.problem] };
  const check = new SegmentChecker(messageCount);
  const segments = read.segments.map((segment, index) => check.checkSegment(segment, index + 1));
  check.checkRanges(segments);
  const facts = read.facts.slice(0, MAX_FACTS).flatMap((fact) => check.checkFact(fact));
  if (check.problems.length > 0) return { kind: "bad", problems: check.problems };
  return { kind: "good", segments, facts, notes: [...read.notes, ...check.notes] };
}

class SegmentChecker {
  readonly problems: string[] = [];
  readonly notes: string[] = [];

  constructor(private readonly messageCount: number) {}

  checkSegment({ attributes, tiers, events }: ParsedSegment, number: number): CheckedSegment {
    const where = `Segment ${number}`;
    this.#checkNames(attributes, ["from", "to", "kind", "importance"], where);
    return {
      first: this.#checkPlace(attributes.get("from"), `${where}: from`),
      last: this.#checkPlace(attributes.get("to"), `${where}: to`),
      kind: this.#requireChoice(attributes.get("kind"), SEGMENT_KINDS, `${where}: kind`),
      importance: this.#checkImportance(attributes.get("importance"), where),
      texts: this.#checkTiers(tiers, where),
      events: events.slice(0, MAX_EVENTS).flatMap((event) => this.#checkEvent(event)),
    };
  }

  /** Requires ranges that start at the first message and have no gaps or overlaps. */
  checkRanges(segments: readonly CheckedSegment[]): void {
    if (segments.length === 0) this.problems.push("There is no <segment>.");
    let next = 0;
    for (const [index, { first, last }] of segments.entries()) {
      if (first < 0 || last < 0) return;
      const where = `Segment ${index + 1}`;
      if (first !== next) this.problems.push(`${where} starts at m${first + 1}, not m${next + 1}.`);
      if (last < first) this.problems.push(`${where} ends before it starts.`);
      next = last + 1;
    }
  }

  checkFact({ attributes, text }: ParsedElement): readonly Fact[] {
    this.#checkNames(attributes, ["category", "importance"], "A fact");
    const said = cleanText(text);
    if (said === "" || said.length > MAX_FACT_CHARS || said.includes(MASK)) {
      this.notes.push("skipped a fact without a text, with too long a one, or with a secret");
      return [];
    }
    const category = this.#requireChoice(
      attributes.get("category"),
      CATEGORIES,
      "A fact: category",
    );
    return [
      {
        category,
        text: said,
        importance: this.#checkImportance(attributes.get("importance"), "A fact"),
      },
    ];
  }

  /** Events are optional: one that doesn't fit is left out. */
  #checkEvent({ attributes, text }: ParsedElement): CheckedSegment["events"] {
    const at = this.#parseIndex(attributes.get("at"));
    const type = EVENT_TYPES.find((one) => one === attributes.get("type"));
    const said = cleanText(text);
    if (at !== null && type && said !== "" && said.length <= MAX_EVENT_CHARS) {
      return [{ at, type, text: said }];
    }
    this.notes.push("skipped an event that doesn't fit");
    return [];
  }

  #checkTiers(tiers: ParsedSegment["tiers"], where: string): CheckedSegment["texts"] {
    const texts = { full: "", short: "", brief: "", line: "" };
    let former = Number.POSITIVE_INFINITY;
    for (const [name, tier, mostChars] of TIER_BOUNDS) {
      const text = cleanText(tiers.get(name) ?? "");
      if (text === "") this.problems.push(`${where}: ${name} is missing or empty.`);
      if (text.length > mostChars) this.problems.push(`${where}: ${name} is too long.`);
      if (text.length > former)
        this.problems.push(`${where}: ${name} is longer than the one before.`);
      texts[tier] = text;
      former = text.length;
    }
    return texts;
  }

  #checkPlace(given: string | undefined, where: string): number {
    const index = this.#parseIndex(given);
    if (index !== null) return index;
    this.problems.push(`${where} is not the id of a message that was given.`);
    return -1;
  }

  #parseIndex(given: string | undefined): number | null {
    const number = Number(/^m([1-9]\d{0,5})$/.exec(given?.trim() ?? "")?.[1] ?? 0);
    return number >= 1 && number <= this.messageCount ? number - 1 : null;
  }

  #checkImportance(given: string | undefined, where: string): number {
    const value = /^\d{1,3}$/.test(given?.trim() ?? "") ? Number(given) : -1;
    if (value >= 0 && value <= 100) return value;
    this.problems.push(`${where}: importance is not a whole number from 0 to 100.`);
    return 0;
  }

  #requireChoice<const One extends string>(
    given: string | undefined,
    values: readonly [One, ...One[]],
    where: string,
  ): One {
    const found = values.find((value) => value === given?.trim());
    if (found === undefined) this.problems.push(`${where} is none of ${values.join(", ")}.`);
    return found ?? values[0];
  }

  #checkNames(
    attributes: ReadonlyMap<string, string>,
    names: readonly string[],
    where: string,
  ): void {
    const others = [...attributes.keys()].filter((name) => !names.includes(name));
    if (others.length > 0) this.notes.push(`${where}: skipped attributes`);
  }
}

function cleanText(text: string): string {
  return maskSecrets(toPlainText(text)).trim();
}

/**
 * Drops the last segment, which may lack what came next, and leaves it for the next batch. It is kept if its messages
 * end a turn or if it is the only one.
 */
export function dropUnfinishedSegment(
  segments: readonly CheckedSegment[],
  ending: "turn" | "open",
): readonly CheckedSegment[] {
  return ending === "turn" || segments.length < 2 ? segments : segments.slice(0, -1);
}
