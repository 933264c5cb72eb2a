// Leaves out folders where git gives no answer, because the project of their sessions is unknown.
import { type ProjectId, toFolderId } from "@session-runtime/opencode/project/project";
import { renderCount } from "@session-runtime/opencode/status/wording";
import { typed } from "../invocation.ts";
import { explainGitWait } from "../system-error.ts";
import type { FolderProjects } from "./project-ids.ts";

export interface SkippedFolder {
  readonly directory: string;
  readonly sessions: number;
}

interface FolderSplit<Session> {
  readonly wanted: readonly { readonly session: Session; readonly project: ProjectId }[];
  readonly skipped: readonly SkippedFolder[];
}

/** Returns the sessions whose project is known, and the number left out in each folder. */
export function withoutSilent<Session extends { readonly directory: string }>(
  sessions: readonly Session[],
  projects: FolderProjects,
): FolderSplit<Session> {
  const leftOut = new Map<string, number>();
  const wanted = sessions.flatMap((session) => {
    const { directory } = session;
    // A session that has begun since then belongs to its folder until it runs.
    const project = projects.get(directory) ?? toFolderId(directory);
    if (project !== "silent") return [{ session, project }];
    leftOut.set(directory, (leftOut.get(directory) ?? 0) + 1);
    return [];
  });
  const skipped = [...leftOut].map(([directory, count]) => ({ directory, sessions: count }));
  return { wanted, skipped };
}

export function skippedText(skipped: readonly SkippedFolder[]): string {
  const folders = skipped.map(({ directory, sessions }) => {
    const what = `Left out ${renderCount(sessions, "session")}: git gave no answer in ${directory}.`;
    return `${what}\n  ${explainGitWait(directory)}`;
  });
  return [...folders, `Then run \`${typed("index")}\` again.`].join("\n");
}
