import fc from "fast-check";
import { beliefsFrom } from "./beliefs.ts";
import type { Call } from "./call.ts";
import type { Invariant } from "./checker.ts";
import type { Run, Schedule, Stage } from "./run.ts";
import { schedules } from "./schedules.ts";
import type { CallOptions, Slot, Step } from "./steps.ts";

/**
 * How many schedules are tried, and from where; both can be given, to go further or to see one again.
 * The ordinary run begins at a fixed seed, so that a change is judged by what it changed, and takes as many
 * as find each of the lines that `broken/` breaks; the long one begins anywhere.
 */
const FIXED_SEED = 15_470_972;
const anywhere = () => Date.now() % 2 ** 31;
const schedulesInAll = Number(process.env.SCHEDULES ?? 400);
export const effort = {
  /** Run once and held against every invariant. */
  explored: schedulesInAll,
  /** Run twice for each promise that two runs are compared by. */
  compared: Math.ceil(schedulesInAll * 0.05),
  seed: Number(process.env.SEED ?? (process.env.LONG ? anywhere() : FIXED_SEED)),
};

/** The first schedule that breaks an invariant. */
export interface Finding {
  readonly index: number;
  readonly broken: number;
}

/** Runs all schedules once and notes which invariants they break. */
export async function explore(stage: Stage): Promise<{
  readonly findings: ReadonlyMap<Invariant, Finding>;
  readonly runs: readonly Run[];
}> {
  const findings = new Map<Invariant, Finding>();
  const runs: Run[] = [];
  const { seed, explored: numRuns } = effort;
  for (const [index, schedule] of fc.sample(schedules, { seed, numRuns }).entries()) {
    const run = await stage.run(schedule);
    for (const invariant of new Set(run.violations.map((violation) => violation.invariant))) {
      const known = findings.get(invariant);
      findings.set(invariant, { index: known?.index ?? index, broken: (known?.broken ?? 0) + 1 });
    }
    runs.push({ violations: run.violations, calls: run.calls.map(slim) });
  }
  return { findings, runs };
}

/** Of thousands of runs only what a census needs stays in memory. */
function slim(call: Call): Call {
  return { ...call, array: [], messages: [], blocks: [], rowIds: new Set(), rows: [] };
}

/** Fails with the smallest schedule that can be found, its seed, and what it breaks. */
export async function shrunk(
  stage: Stage,
  invariant: Invariant,
  { index }: Finding,
): Promise<never> {
  const breaks = ({ violations }: Run) => violations.filter((one) => one.invariant === invariant);
  const property = fc.asyncProperty(
    schedules,
    async (schedule) => breaks(await stage.run(schedule)).length === 0,
  );
  const { seed } = effort;
  const details = await fc.check(property, { seed, path: `${index}`, numRuns: 1 });
  const [schedule] = details.counterexample ?? fc.sample(schedules, { seed, path: `${index}` });
  if (!schedule) throw new Error(`SEED=${seed}: schedule ${index} could not be made again`);
  const what = breaks(await stage.run(schedule)).map((violation) => violation.what);
  const story = schedule.steps.map((step) => JSON.stringify(step)).join("\n");
  throw new Error(
    `${invariant} is broken (SEED=${seed}):\n${what.join("\n")}\n${JSON.stringify(schedule.setting)}\n${story}`,
  );
}

/** All that went out, in order: what two runs are compared by. */
export function sentBy({ calls }: Run, of: (call: Call) => boolean = () => true): string {
  const sent = calls
    .filter(of)
    .map(({ sessionId, system, blocks }) => [sessionId, system, blocks.map(({ text }) => text)]);
  return JSON.stringify(sent, null, 1);
}

/** The schedule with each of these steps replaced by the time that it takes. */
export function without(schedule: Schedule, drop: (step: Step) => boolean): Schedule {
  const wait: Step = { do: "wait", ms: 0 };
  return { ...schedule, steps: schedule.steps.map((step) => (drop(step) ? wait : step)) };
}

/** The schedule with these options in all of its calls. */
export function withCalls(schedule: Schedule, options: Partial<CallOptions>): Schedule {
  const steps = schedule.steps.map((step): Step => {
    switch (step.do) {
      case "prompt":
      case "go on":
        return { ...step, call: { ...step.call, ...options } };
      case "compact":
        return { ...step, call: { ...step.call, ...options } };
      default:
        return step;
    }
  });
  return { ...schedule, steps };
}

export function matchesSlot(slot: Slot) {
  return (step: Step): boolean => "slot" in step && step.slot === slot;
}

/**
 * Passes over restarts that come while only the process's memory holds what the host's string last
 * showed. A process that begins then knows of it after its own first call only, one call later.
 */
export function unlessUntold(step: Step, sofar: Run): boolean {
  return step.do !== "restart" || !hasUntoldSighting(sofar);
}

function hasUntoldSighting({ calls }: Run): boolean {
  const last = new Map(calls.map((call) => [call.sessionId, call]));
  return [...last.values()].some(({ blocks, atSend }) => {
    const { observed } = beliefsFrom(blocks.map(({ text }) => text));
    return JSON.stringify(observed) !== JSON.stringify(atSend.observed);
  });
}

const sightings =
  /^(?:Project reference|The available project references|<mcp_instructions>|The instructions of the MCP|No MCP server|Skills provide|The available skills|Skill guidance)/;

/** The same without the news that updates tell of what only the host's string shows. */
export function loadedBy({ calls }: Run): string {
  const sent = calls.map(({ sessionId, system, blocks }) => {
    const texts = blocks.map(({ kind, text }) => (kind === "ours" ? withoutSightings(text) : text));
    return [sessionId, system, texts.filter((text) => text !== "")];
  });
  return JSON.stringify(sent, null, 1);
}

function withoutSightings(text: string): string {
  const update = /^(?:user|added): <system-update>\n([\s\S]*)\n<\/system-update>$/.exec(text)?.[1];
  if (update === undefined) return text;
  return update
    .split("\n\n")
    .filter((part) => !sightings.test(part))
    .join("\n\n");
}
