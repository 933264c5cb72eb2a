// `npm run demo`: plays, prints and writes the page.
// Folder: The demo of `npm run demo`.
import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { SCENARIOS } from "../scenario/catalogue.ts";
import { progressOn } from "../terminal/progress.ts";
import { styleFor } from "../terminal/style.ts";
import { type Arguments, type Page, parseArguments, USAGE } from "./arguments.ts";
import { failureText, parseStep } from "./failure.ts";
import { chooseAccount, NO_KEY } from "./live/account.ts";
import { playLive } from "./live/play.ts";
import { LIVE_STEPS } from "./live/steps.ts";
import { LONG_PLAN, playLong } from "./long/play.ts";
import { openPage } from "./open-page.ts";
import { renderPage } from "./page/page.ts";
import { playBoth } from "./play.ts";
import type { WholeDemo } from "./report.ts";
import { showDemo } from "./show-demo.ts";

const DEFAULT_COLUMNS = 100;
/** The newest that was said of the progress: where the demo stands. */
let step = "the start of the host";
const progress = progressOn({
  ...{ isTTY: process.stdout.isTTY, columns: process.stdout.columns },
  write(text) {
    step = parseStep(text) ?? step;
    process.stdout.write(text);
  },
});

// Hosts are ended when this process exits, which a signal alone would not let it do.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));
process.exit(await runNamed(parseArguments(process.argv.slice(2))));

/** A newcomer gets the step that failed and what to do, and no stack of ours. */
async function runNamed(given: Arguments): Promise<number> {
  try {
    return await run(given);
  } catch (error) {
    console.error(failureText(error, step));
    return 1;
  }
}

async function run(given: Arguments): Promise<number> {
  switch (given.kind) {
    case "help":
      console.log(USAGE);
      return 0;
    case "wrong":
      console.error(`${given.reason}\n\n${USAGE}`);
      return 2;
    case "scripted":
    case "long": {
      console.log(
        "Playing a day's session on the real OpenCode, without and with Session Runtime …",
      );
      const day = await playBoth(SCENARIOS.day, progress);
      if (given.kind === "scripted") return present({ day, long: null }, given);
      console.log(
        `Playing a long session of ${LONG_PLAN.turns} turns; this takes a minute or two …`,
      );
      const long = await playLong(LONG_PLAN, progress);
      return present({ day, long }, given);
    }
    case "pi": {
      // Loading it fetches Pi, which the other demos have no use for.
      const { missingPi } = await import("../pi/pi.ts");
      if (missingPi !== null) {
        console.error(missingPi);
        return 1;
      }
      const { PI_DAY } = await import("./pi/day.ts");
      const { playOnPi, buildReport } = await import("./pi/play.ts");
      console.log("Playing a day's session on the real Pi, without and with Session Runtime …");
      const played = await playOnPi(PI_DAY, progress);
      return present({ day: buildReport(PI_DAY, played), long: null }, given);
    }
    case "live": {
      const account = chooseAccount(process.env, given.model);
      if (!account) {
        console.error(NO_KEY);
        return 2;
      }
      console.log(`Playing a short session on ${account.model}; this costs a few cents …`);
      const day = await playLive(account, LIVE_STEPS, progress);
      return present({ day, long: null }, given);
    }
  }
}

async function present(demo: WholeDemo, { out, afterwards }: Page): Promise<number> {
  const style = styleFor(process.stdout, process.env);
  const columns = process.stdout.columns ?? DEFAULT_COLUMNS;
  const file = resolve(out);
  mkdirSync(dirname(file), { recursive: true });
  await Bun.write(file, await renderPage(demo));
  console.log(`\n${[showDemo(demo, style, columns), `The same as a page: ${file}`].join("\n\n")}`);
  if (afterwards === "open") openPage(file);
  return 0;
}
