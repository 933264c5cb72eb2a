// Implements /ctx-resummarize: it has this session's history summarised again, reports progress, and stops it.
import type { ActionAnswer, OpenCommand } from "../../feature-api/command.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import type { SessionId } from "../../storage/records.ts";
import { describeProgress, resummaryStore } from "./resummary.ts";

interface ResummarizeDeps extends Pick<FeatureContext, "database" | "jobs" | "now"> {
  /** Resolves true if the session has anything to summarise; rejects if the host doesn't answer. */
  readonly hasWork: (sessionId: SessionId) => Promise<boolean>;
}

export function resummarizeCommand(deps: ResummarizeDeps): OpenCommand {
  const { database, jobs, now, hasWork } = deps;
  const act = async (sessionId: SessionId, args: string): Promise<string> => {
    const store = database.current().store(resummaryStore);
    switch (args.trim()) {
      case "stop":
        return store.stop(sessionId) ? STOPPED : NOT_RUNNING;
      case "": {
        const former = store.newest(sessionId);
        if (former?.state === "running") return `${RUNNING} ${describeProgress(former)}. ${HOW}`;
        if (!(await hasWork(sessionId))) return NOTHING_TO_SUMMARISE;
        store.begin(sessionId, jobs.place, now());
        jobs.wake();
        return `${BEGUN} ${HOW}`;
      }
      default:
        return "Type `/ctx-resummarize` alone, or with `stop`.";
    }
  };
  return {
    kind: "action",
    name: "ctx-resummarize",
    dialog: () => null,
    async act({ sessionId, args }): Promise<ActionAnswer> {
      await database.ensure();
      return { text: await act(sessionId, args), shownBy: "note" };
    },
  };
}

const NOTHING_TO_SUMMARISE =
  "There is nothing to summarise: all of this session is new enough to be sent verbatim.";
const BEGUN =
  "A model summarises this session's older history again, batch by batch, in the background. Its words are used when the history is next rewritten.";
const HOW = "`/ctx-resummarize` shows how far it is, `/ctx-resummarize stop` ends it.";
const RUNNING = "This session's older history is being summarised again:";
const STOPPED = "Stopped. What was written so far is kept.";
const NOT_RUNNING =
  "There is nothing to stop: this session's history is not being summarised again.";
