// Plays the demo's day on the stock Pi and on Pi with the extension, at once.
import type { PiProcess } from "../../pi/pi.ts";
import { type PiRun, playSteps } from "../../pi/play.ts";
import { buildExtension } from "../../pi/scenario.ts";
import type { Progress } from "../../terminal/progress.ts";
import { progressLine, type SideName, stepFigures } from "../play.ts";
import type { DemoReport, Side } from "../report.ts";
import { describeStep, type PiDay } from "./day.ts";

export interface PlayedDay {
  readonly without: PiRun;
  readonly with: PiRun;
  /** What `/ctx-status` says at the end. */
  readonly status: string | null;
}

/** Each side has a provider and a cache of its own. */
export async function playOnPi({ files, steps }: PiDay, progress: Progress): Promise<PlayedDay> {
  const line = progressLine(steps.length, progress);
  let status: string | null = null;
  const play = async (side: SideName, extensions: readonly string[]) => {
    const run = await playSteps(steps, {
      ...{ files, model: "plain", extensions },
      onStep: (step) => line.step(side, describeStep(step)),
      async onEnd(running) {
        if (side === "with") status = await askStatus(running);
      },
    });
    if (run.failures.length > 0) throw new Error(`Pi ${side}: ${run.failures.join("; ")}`);
    return run;
  };
  const [without, with_] = await Promise.all([
    play("without", []),
    play("with", [buildExtension()]),
  ]);
  progress.end();
  return { without, with: with_, status };
}

export function buildReport(day: PiDay, { without, with: with_, status }: PlayedDay): DemoReport {
  return {
    host: "Pi",
    provider:
      "a mock of Anthropic's Messages API, which bills as its prompt cache does; its model takes no system messages in mid-conversation",
    about: day.about,
    notes: [
      `Edits that the model knew of at its next call: ${findKnownText(day, without)} without, ${findKnownText(day, with_)} with.`,
      "On models that take system messages in mid-conversation, stock Pi keeps its cache over restarts, too.",
    ],
    steps: day.steps.map((step) => ({ label: describeStep(step) })),
    without: toSide(without),
    with: toSide(with_),
    status,
  };
}

function toSide({ steps, bill, ideal }: PiRun): Side {
  return { steps: steps.map(stepFigures), totals: { bill, ideal } };
}

/** How many edits the next call has the news of. */
function findKnownText({ steps }: PiDay, run: PiRun): string {
  const known = steps.flatMap((step, index) => {
    if (step.type !== "edit") return [];
    const next = run.steps.slice(index).flat()[0];
    return [JSON.stringify(next?.body ?? null).includes(step.news)];
  });
  return `${known.filter((isKnown) => isKnown).length} of ${known.length}`;
}

async function askStatus(running: PiProcess): Promise<string> {
  const notice = running.next(({ method }) => method === "notify");
  await running.say("/ctx-status");
  return String((await notice).message);
}
