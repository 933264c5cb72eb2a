// Three hundred memories of mixed quality, made from a seed: what is good, and what is not, is marked.
import type { Category } from "../../../src/features/memory/record.ts";

export type Mark = "good" | "duplicate" | "outdated" | "stale" | "wrong" | "wordy";

export interface MadeMemory {
  readonly mark: Mark;
  readonly text: string;
  readonly category: Category;
  readonly daysOld: number;
  /** What it must go on saying, or its fact must: in one active memory. */
  readonly must: readonly string[];
  /** What no active memory may say any more, all of it in one. */
  readonly mustNot: readonly string[];
  /** What a good model would write in its place. */
  readonly better: string | null;
}

const SUBJECTS = (
  "checkout billing invoices search catalog basket shipping returns coupons reviews accounts sessions " +
  "webhooks exports imports reports metrics tracing logging mailer uploads thumbnails scheduler worker " +
  "gateway router cache ledger refunds taxes currencies translations feature-flags audit backups migrations " +
  "fixtures storefront admin mobile"
).split(" ");

const ASPECTS: readonly {
  readonly name: string;
  readonly category: Category;
  readonly say: (subject: string, value: string) => string;
  readonly again: (subject: string, value: string) => string;
  readonly value: (number: number) => string;
}[] = [
  {
    ...{ name: "port", category: "CONFIG_VALUES", value: (n) => String(3_000 + n) },
    say: (s, v) => `The ${s} service listens on port ${v} in development.`,
    again: (s, v) => `In development the ${s} service is listening on port ${v}.`,
  },
  {
    ...{ name: "timeout", category: "CONSTRAINTS", value: (n) => `${n + 2}s` },
    say: (s, v) => `Calls from outside into ${s} give up after ${v}, as partners hang up then.`,
    again: (s, v) => `As partners hang up then, calls from outside into ${s} give up after ${v}.`,
  },
  {
    ...{ name: "owner", category: "PROJECT_RULES", value: (n) => `@team-${n}` },
    say: (s, v) => `Changes of the ${s} schema need a review by ${v} before merging.`,
    again: (s, v) => `Before merging, changes of the ${s} schema need a review by ${v}.`,
  },
  {
    ...{ name: "prefix", category: "NAMING", value: (n) => `px${n}_` },
    say: (s, v) => `Tables of ${s} start with the prefix ${v} in every database.`,
    again: (s, v) => `In every database the tables of ${s} start with prefix ${v}.`,
  },
  {
    ...{ name: "queue", category: "ARCHITECTURE", value: (n) => `q-${n}` },
    say: (s, v) => `Events of ${s} go through queue ${v} and are consumed exactly once.`,
    again: (s, v) => `Through queue ${v} go the events of ${s}; they are consumed exactly once.`,
  },
];

/** A generator of numbers from 0 to 1 (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface ThreeHundred {
  readonly memories: readonly MadeMemory[];
  readonly files: ReadonlyMap<string, string>;
}

export function threeHundred(seed: number): ThreeHundred {
  const random = seeded(seed);
  const facts = SUBJECTS.flatMap((subject, s) =>
    ASPECTS.map((aspect, a) => ({ subject, aspect, value: aspect.value(s * 7 + a * 31 + 11) })),
  );
  const shuffled = facts
    .map((fact) => ({ fact, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ fact }) => fact);
  const take = (from: number, count: number) => shuffled.slice(from, from + count);
  const days = (least: number, most: number) => Math.round(least + random() * (most - least));
  const none = { mustNot: [], better: null } as const;
  const good = take(0, 180).map(
    ({ subject, aspect: { say, category }, value }): MadeMemory => ({
      ...{ mark: "good", category, daysOld: days(1, 200), must: [subject, value], ...none },
      text: say(subject, value),
    }),
  );
  const duplicates = take(0, 30).map(
    ({ subject, aspect: { again, category }, value }): MadeMemory => ({
      ...{ mark: "duplicate", category, daysOld: days(1, 60), must: [subject, value], ...none },
      text: again(subject, value),
    }),
  );
  const outdated = take(40, 15).map(({ subject, aspect }, at): MadeMemory => {
    const { say, category, value, name } = aspect;
    const old = value(900 + at);
    return {
      ...{ mark: "outdated", category, daysOld: days(210, 300), must: [] },
      ...{ text: say(subject, old), mustNot: [subject, old, name === "timeout" ? "give" : " "] },
      better: null,
    };
  });
  const stale = Array.from({ length: 30 }, (_, at): MadeMemory => {
    const ticket = `OPS-${4_100 + at}`;
    const subject = SUBJECTS[at % SUBJECTS.length] ?? "";
    const texts = [
      `We are in the middle of ticket ${ticket} for ${subject}; half of it is done.`,
      `The old exporter legacy/${subject}/dump-${at}.ts writes ${ticket} files at night.`,
      `Until the freeze of sprint ${at} ends, ${subject} merges wait for ${ticket}.`,
    ];
    return {
      ...{ mark: "stale", category: "ARCHITECTURE", daysOld: days(150, 400), must: [] },
      ...{ text: texts[at % texts.length] ?? "", mustNot: [ticket], better: null },
    };
  });
  const files = new Map<string, string>();
  const wrong = Array.from({ length: 20 }, (_, at): MadeMemory => {
    const path = `config/limits-${at}.ts`;
    const [said, real] = [String(40 + at), String(700 + at)];
    files.set(path, `// Limits.\nexport const maxItems = ${real};\nexport const unit = "item";\n`);
    const text = `The limit maxItems is ${said} items, as config/limits-${at}.ts sets it.`;
    return {
      ...{ mark: "wrong", category: "CONFIG_VALUES", daysOld: days(5, 80), must: [path, real] },
      ...{ text, mustNot: [path, ` ${said} `] },
      better: `The limit maxItems is ${real} items, as config/limits-${at}.ts sets it.`,
    };
  });
  const wordy = Array.from({ length: 25 }, (_, at): MadeMemory => {
    const [variable, value] = [`RETRY_BUDGET_${at}`, String(90 + at)];
    const better = `Retries stop when ${variable} reaches ${value}, never before, as partners count them.`;
    return {
      ...{ mark: "wordy", category: "CONSTRAINTS", daysOld: days(5, 80), must: [variable, value] },
      text: `Please note that it is actually the case that the retries will basically stop when the ${variable} reaches ${value}, and really never before that, as the partners do simply count them.`,
      ...{ mustNot: [], better },
    };
  });
  const all = [...good, ...duplicates, ...outdated, ...stale, ...wrong, ...wordy];
  const memories = all
    .map((memory) => ({ memory, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ memory }) => memory);
  return { memories, files };
}
