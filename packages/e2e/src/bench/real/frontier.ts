// `npm run frontier`: what a change of history's policy does to all recorded sessions, in a minute, as one table.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readRecorded } from "../../../../cli/src/simulation/recorded.ts";
import { MIDDLE_TOKENS, ROOMY_TOKENS } from "../../host/models.ts";
import { TRACES } from "../arguments.ts";
import { frontierTable, type Half, takeHalf } from "./frontier-table.ts";
import { FILE } from "./section.ts";
import { simulate } from "./simulated.ts";

const USAGE = `npm run frontier [-- --half fit|report] [--window TOKENS]… [--traces FOLDER] [--by-session]

Plays the recorded sessions through the simulation: bill, askings, rewrites, and the words that stand.
--half fit     every other session, from the first: to choose a constant on
--half report  the others: to say what it is worth`;

interface Request {
  half: Half;
  windows: number[];
  traces: string;
  detail: "sums" | "sessions";
}

function readRequest(given: readonly string[]): Request | null {
  const request: Request = { half: "all", windows: [], traces: TRACES, detail: "sums" };
  const words = [...given];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === "--by-session") {
      request.detail = "sessions";
      continue;
    }
    const value = words.shift();
    if (word === "--half" && (value === "fit" || value === "report")) request.half = value;
    else if (word === "--window" && Number(value) > 0) request.windows.push(Number(value));
    else if (word === "--traces" && value !== undefined) request.traces = value;
    else return null;
  }
  return request;
}

const request = readRequest(process.argv.slice(2));
if (request === null) {
  console.log(USAGE);
  process.exit(process.argv.includes("--help") ? 0 : 2);
}
const { half, traces, detail } = request;
const windows = request.windows.length > 0 ? request.windows : [ROOMY_TOKENS, MIDDLE_TOKENS];
const sessions = takeHalf(half, readRecorded(readFileSync(join(traces, FILE), "utf8")));
const played = new Map(
  windows.map((tokens) => [tokens, sessions.map((recorded) => simulate(recorded, tokens))]),
);
console.log(frontierTable(half, played, detail));
