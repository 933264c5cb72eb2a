// A model that knows what is what among the three hundred memories, and how they stand after a night.
import type { Question } from "../../../src/feature-api/job.ts";
import type { Memory } from "../../../src/features/memory/record.ts";
import { formatProposals, shownIn } from "./stage.ts";
import { type MadeMemory, type Mark, seeded } from "./three-hundred.ts";

/** Of what a model says of a good memory, so much is nonsense. */
const MISTAKES = 0.06;

/** Knows what is what, and errs now and then. */
export function goodModel(mistakes = MISTAKES) {
  const random = seeded(7);
  return (call: Question, made: ReadonlyMap<string, MadeMemory>): string => {
    const isAbout = (mark: Mark, ref: unknown) => made.get(String(ref))?.mark === mark;
    const { system } = call;
    const groups = call.prompt.startsWith("<groups>")
      ? call.prompt
          .split("\n")
          .slice(1, -1)
          .map((line) => JSON.parse(line) as { ref: string; text: string; daysOld: number }[])
      : [];
    const shown = [...groups.flat(), ...shownIn(call, "memories")] as {
      ref: string;
      text: string;
    }[];
    const right = groups.flatMap((group) => consolidated(group, made));
    const single = shown.flatMap(({ ref, text }): object[] => {
      const one = made.get(ref);
      if (system.includes("hold in") || one === undefined) return [];
      if (system.includes("wordy") && one.mark === "wordy") {
        return [{ do: "rewrite", ref, text: one.better, why: "wordy" }];
      }
      if (system.includes("name files") && isAbout("wrong", ref)) {
        const [path = "", real = ""] = one.must;
        return [
          {
            do: "rewrite",
            ref,
            text: one.better,
            path,
            quote: `export const maxItems = ${real};`,
            why: text,
          },
        ];
      }
      if (system.includes("not used for long") && one.mark === "stale")
        return [{ do: "archive", ref, why: "over" }];
      return [];
    });
    const wrong = shown.flatMap(({ ref }): object[] => {
      if (random() >= mistakes || !isAbout("good", ref)) return [];
      const other = shown[Math.floor(random() * shown.length)]?.ref ?? ref;
      return (
        [
          [{ do: "archive", ref, why: "it looks old" }],
          [{ do: "rewrite", ref, text: "Everything is configurable.", why: "shorter" }],
          [{ do: "merge", refs: [ref, other], text: "They are about one thing.", why: "alike" }],
          [{ do: "supersede", ref, by: other, why: "newer" }],
          [{ do: "merge", refs: [ref, "m:000000"], text: "No such memory.", why: "" }],
        ][Math.floor(random() * 5)] ?? []
      );
    });
    return `Here is what I would do:\n${formatProposals(...right, ...single, ...wrong)}`;
  };
}

/** Makes no mistakes, so that only kills can make a difference. */
export function steadyModel() {
  return goodModel(0);
}

function consolidated(
  group: readonly { ref: string; text: string }[],
  made: ReadonlyMap<string, MadeMemory>,
): object[] {
  const known = group.flatMap(({ ref, text }) => {
    const one = made.get(ref);
    return one ? [{ ref, text, one }] : [];
  });
  return known.flatMap(({ ref, one }): object[] => {
    if (one.mark === "duplicate") {
      const twin = known.find(
        (other) => other.one.mark === "good" && other.one.must.join() === one.must.join(),
      );
      return twin ? [{ do: "merge", refs: [twin.ref, ref], text: twin.text, why: "the same" }] : [];
    }
    if (one.mark !== "outdated") return [];
    const [subject = ""] = one.mustNot;
    const by = known.find(
      ({ one: other, text }) =>
        other.mark === "good" && other.category === one.category && text.includes(subject),
    );
    return by ? [{ do: "supersede", ref, by: by.ref, why: "newer" }] : [];
  });
}

function says(memories: readonly Memory[], words: readonly string[]): readonly Memory[] {
  return memories.filter(({ text }) => words.every((word) => ` ${text} `.includes(word)));
}

/** By what the texts say at the end, not by what was done. */
export function isHandled(
  { mark, must, mustNot, text }: MadeMemory,
  active: readonly Memory[],
): boolean {
  switch (mark) {
    case "good":
      return says(active, must).length > 0;
    case "duplicate":
      return says(active, must).length === 1;
    case "outdated":
    case "stale":
      return says(active, mustNot).length === 0;
    case "wrong":
      return says(active, mustNot).length === 0 && says(active, must).length === 1;
    case "wordy":
      return says(active, must).some((memory) => memory.text.length < text.length * 0.8);
  }
}
