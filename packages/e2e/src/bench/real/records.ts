// What recorded sessions hold, and whether any harness's cost more than the others': without a host.
import { ROOMY_TOKENS } from "../../host/models.ts";
import type { Progress } from "../../terminal/progress.ts";
import type { BenchRequest } from "../arguments.ts";
import { atMost, type Section } from "../section.ts";
import { echoTable } from "./echoes.ts";
import { recordsIn } from "./section.ts";
import { harnessTable, simulate, worstHarness } from "./simulated.ts";

const BY_HARNESS =
  "Each harness against the sessions of all others. The bound is the fair measure: the shorter a session, the less of OpenCode's bill can be spared at all, as the last two columns show.";

const BY_ECHO =
  "What these sessions hold, in characters, and what calls would carry of it if nothing went. What was said before or made untrue goes at once where a rewrite pays; arguments go with folds. Files are numbered by tool in the records: what an edit makes untrue is seen by what its step used.";

const MAX_TIMES = 1.25;

/** Null: there are no records. */
export async function measureRecords(
  progress: Progress,
  { traces }: BenchRequest,
): Promise<Section | null> {
  const all = recordsIn(traces, progress);
  if (all === null) return null;
  progress.update("real: simulating", "real: simulating");
  const simulated = all.map((recorded) => simulate(recorded, ROOMY_TOKENS));
  const worst = worstHarness(simulated);
  return {
    name: "real-records",
    title: "Recorded sessions by harness, and what they hold",
    body: [BY_HARNESS, harnessTable(simulated), BY_ECHO, echoTable(all)].join("\n\n"),
    verdicts: [
      atMost(
        `bill ÷ bound of any harness, against all others: at most ${MAX_TIMES} times`,
        worst,
        MAX_TIMES,
        `${worst.toFixed(2)} times`,
      ),
    ],
  };
}
