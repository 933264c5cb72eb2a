// Writes a session: work of many kinds, and questions about facts of every kind and age.
import { Dice } from "./dice.ts";
import { drawFact } from "./facts.ts";
import {
  FACT_KINDS,
  type Fact,
  type FactKind,
  type QuestionTurn,
  type ScriptTurn,
  type SessionScript,
  type Step,
  step,
  type WorkTurn,
} from "./session-script.ts";
import { Workshop } from "./workshop.ts";

export interface SessionPlan {
  readonly seed: number;
  readonly turns: number;
  /** Ages of the questions, in turns. */
  readonly ages: readonly number[];
  readonly lengthFactor: number;
}

/** From three turns to more than fifty. */
export const AGES = [3, 5, 7, 10, 13, 16, 20, 24, 28, 33, 38, 42, 45, 52] as const;

export function writeSession(plan: SessionPlan): SessionScript {
  const dice = new Dice(plan.seed);
  const workshop = new Workshop(dice, plan.lengthFactor);
  const kinds = kindsFor(plan.ages.length, dice);
  const asked = placesFor(plan, dice).map((place, index) => ({
    ...place,
    fact: drawFact(kinds[index] ?? "output", dice).fact,
  }));
  const turns = Array.from({ length: plan.turns }, (_, turn): ScriptTurn => {
    const question = asked.find((one) => one.askedIn === turn);
    if (question) return questionTurn(question.fact, question.askedIn - question.statedIn);
    const stated = asked.filter(({ statedIn }) => statedIn === turn).map(({ fact }) => fact);
    return workTurn(turn, stated, { dice, workshop });
  });
  return { name: `seed ${plan.seed}`, files: workshop.files, turns };
}

function questionTurn(fact: Fact, age: number): QuestionTurn {
  return { type: "question", fact, age };
}

/** Each kind as often as the others, as far as it goes. */
function kindsFor(count: number, dice: Dice): readonly FactKind[] {
  const kinds: FactKind[] = [];
  while (kinds.length < count) kinds.push(...dice.shuffled(FACT_KINDS));
  return kinds.slice(0, count);
}

interface Place {
  readonly statedIn: number;
  readonly askedIn: number;
}

/** Turns that state and turns that ask, no turn twice. */
function placesFor({ turns, ages }: SessionPlan, dice: Dice): readonly Place[] {
  const taken = new Set<number>();
  return ages
    .toSorted((left, right) => right - left)
    .map((age) => {
      const free = Array.from({ length: turns - age }, (_, statedIn) => ({
        statedIn,
        askedIn: statedIn + age,
      }));
      const place = dice
        .shuffled(free)
        .find(({ statedIn, askedIn }) => !taken.has(statedIn) && !taken.has(askedIn));
      if (!place) throw new Error(`No two turns are left for a question of age ${age}`);
      taken.add(place.statedIn);
      taken.add(place.askedIn);
      return place;
    });
}

interface WritingState {
  readonly dice: Dice;
  readonly workshop: Workshop;
}

function workTurn(turn: number, facts: readonly Fact[], writing: WritingState): WorkTurn {
  const { dice } = writing;
  const of = (kind: FactKind) => facts.filter((fact) => fact.kind === kind);
  const said = of("user").map(({ line }) => line);
  const decided = of("decision").map(({ line }) => line);
  const shown = facts.filter(({ kind }) => kind !== "user" && kind !== "decision");
  const other = dice.share() < SIMILAR_SHARE ? [drawFact("user", dice).similar(dice)] : [];
  const otherDecision =
    dice.share() < SIMILAR_SHARE ? [drawFact("decision", dice).similar(dice)] : [];
  const { task, steps } = work(shown, writing);
  return {
    type: "work",
    prompt: dice.shuffled([`Task ${turn + 1}: ${task}.`, ...said, ...other]).join(" "),
    steps,
    answer: [
      `Task ${turn + 1} is done.`,
      ...dice.shuffled([...decided, ...otherDecision]),
      dice.pick(CLOSINGS),
    ].join(" "),
    facts,
  };
}

/** So many turns also say something of the form of a fact, about something else. */
const SIMILAR_SHARE = 0.3;

const CLOSINGS = [
  "The rest stays as it was.",
  "I left the other callers alone, as they go through the same path.",
  "The tests that touch this pass; I saw nothing else that depends on it.",
  "Next I would look at the callers, but that can wait.",
] as const;

interface Work {
  readonly task: string;
  readonly steps: readonly Step[];
}

function work(facts: readonly Fact[], writing: WritingState): Work {
  const { dice } = writing;
  const [first] = facts;
  const kind = first ? WORK_FOR[first.kind] : dice.pick(USUAL_WORK);
  return WORKS[kind](facts, writing);
}

const WORKS = {
  explore: (facts: readonly Fact[], { dice, workshop }: WritingState): Work => {
    const reads = [workshop.readNew(facts), workshop.readNew([])];
    return {
      task: "read into the part that we change next and say what it does",
      steps: dice.share() < 0.5 ? [step(...reads)] : reads.map((read) => step(read)),
    };
  },
  fix: (_facts: readonly Fact[], { workshop }: WritingState): Work => {
    const path = workshop.pickReadFile();
    const area = workshop.area();
    if (path === undefined) return WORKS.explore([], { dice: new Dice(1), workshop });
    return {
      task: `correct what is wrong in ${path} and run the tests`,
      steps: [step(workshop.read(path)), step(workshop.edit(path)), step(workshop.tests(area))],
    };
  },
  add: (_facts: readonly Fact[], { workshop }: WritingState): Work => ({
    task: "add the missing piece and run the tests of the area",
    steps: [step(workshop.write()), step(workshop.tests(workshop.area()))],
  }),
  measure: (facts: readonly Fact[], { dice, workshop }: WritingState): Work => ({
    task: "look at what the system says under load",
    steps: [
      step(workshop.command(facts)),
      ...(dice.share() < 0.7 ? [step(workshop.command([]))] : []),
      ...(dice.share() < 0.4 ? [step(workshop.readNew([]))] : []),
    ],
  }),
  build: (facts: readonly Fact[], { workshop }: WritingState): Work => {
    const build = workshop.failing(facts);
    const path = workshop.pickReadFile();
    const repair = path === undefined ? [] : [step(workshop.read(path)), step(workshop.edit(path))];
    return { task: "get the build to pass again", steps: [step(build), ...repair, step(build)] };
  },
  search: (facts: readonly Fact[], { workshop }: WritingState): Work => ({
    task: "find where this is registered, and look at one of the places",
    steps: [step(workshop.grep(facts)), step(workshop.readNew([]))],
  }),
  issue: (facts: readonly Fact[], { workshop }: WritingState): Work => ({
    task: "see what the issue says, and check it against the code",
    steps: [step(workshop.issue(facts)), step(workshop.readNew([]))],
  }),
} as const;

const USUAL_WORK = [
  ...(["explore", "explore", "fix", "fix", "fix", "add"] as const),
  ...(["measure", "measure", "build", "search", "issue"] as const),
] as const satisfies readonly (keyof typeof WORKS)[];

const WORK_FOR: Readonly<Record<FactKind, keyof typeof WORKS>> = {
  output: "measure",
  table: "measure",
  error: "build",
  file: "explore",
  grep: "search",
  mcp: "issue",
  user: "fix",
  decision: "add",
};
