// How far the writing of a session's history is, in words.
import { count, counted } from "../status/wording.ts";
import type { Recomp } from "./recomp.ts";

export function progressWords({ state, segments, messages, jobId }: Recomp): string {
  const far = `${counted(segments, "segment")} of ${counted(messages, "message")}`;
  switch (state) {
    case "running":
      return `${far} so far (job ${count(jobId)})`;
    case "done":
      return `done, ${far}`;
    case "stopped":
      return `stopped after ${far}`;
    case "failed":
      return `given up after ${far}: on the command line, \`jobs\` says why, \`jobs retry ${jobId}\` continues it`;
  }
}
