// `npm run demo`: plays, prints and writes the page.
// Folder: The demo of `npm run demo`.
import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { SCENARIOS } from "../scenario/catalogue.ts";
import { progressOn } from "../terminal/progress.ts";
import { styleFor } from "../terminal/style.ts";
import { type Arguments, parseArguments, USAGE } from "./arguments.ts";
import { chooseAccount, NO_KEY } from "./live/account.ts";
import { playLive } from "./live/play.ts";
import { LIVE_STEPS } from "./live/steps.ts";
import { renderPage } from "./page/page.ts";
import { playBoth } from "./play.ts";
import type { DemoReport } from "./report.ts";
import { showBars, showNotes, showTable } from "./show.ts";

const DEFAULT_COLUMNS = 100;

// Hosts are ended when this process exits, which a signal alone would not let it do.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));
process.exit(await run(parseArguments(process.argv.slice(2))));

async function run(given: Arguments): Promise<number> {
  switch (given.kind) {
    case "help":
      console.log(USAGE);
      return 0;
    case "wrong":
      console.error(`${given.reason}\n\n${USAGE}`);
      return 2;
    case "scripted":
      console.log("Playing one session on the real host, without and with the plugin …");
      return present(await playBoth(SCENARIOS.day, progressOn(process.stdout)), given.out);
    case "live": {
      const account = chooseAccount(process.env, given.model);
      if (!account) {
        console.error(NO_KEY);
        return 2;
      }
      console.log(`Playing a short session on ${account.model}; this costs a few cents …`);
      return present(await playLive(account, LIVE_STEPS, progressOn(process.stdout)), given.out);
    }
  }
}

async function present(report: DemoReport, out: string): Promise<number> {
  const style = styleFor(process.stdout, process.env);
  const columns = process.stdout.columns ?? DEFAULT_COLUMNS;
  const file = resolve(out);
  mkdirSync(dirname(file), { recursive: true });
  await Bun.write(file, await renderPage(report));
  const parts = [
    showTable(report, style),
    showBars(report, style, columns),
    `${style.bold("/ctx-status")}\n${report.status ?? "The plugin gave no report."}`,
    style.dim(showNotes(report)),
    `The same as a page: ${file}`,
  ];
  console.log(`\n${parts.join("\n\n")}`);
  return 0;
}
