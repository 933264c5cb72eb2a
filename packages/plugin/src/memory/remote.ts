// Whether a clone of a repository is the same project: by the place that it was cloned from. Pure.
import { commitId, firstCommitOf, forkId } from "./ids.ts";
import type { ProjectId } from "./record.ts";

/** A place that clones of a project came from: its own, one that the user has joined, or a fork kept apart. */
export const STANDINGS = ["own", "joined", "apart"] as const;

export interface KnownRemote {
  /** `host/path`, as `placeOfUrl` gives it. */
  readonly remote: string;
  readonly standing: (typeof STANDINGS)[number];
}

/**
 * Where a URL of git's leads, however it is written: `github.com/acme/shop`. Null: to a folder of this machine,
 * or nowhere. Whoever can make a folder here can say anything in its settings, so that a folder proves nothing.
 */
export function placeOfUrl(url: string): string | null {
  const [, scheme, rest = ""] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/i.exec(url) ?? [];
  const [, host, path] =
    scheme === undefined
      ? (/^(?:[^@/\\]+@)?([^:/\\]{2,}):(?!\/\/)\/*(.+)$/.exec(url) ?? [])
      : (/^(?:[^@/]*@)?([^:/]+)(?::\d+)?\/+(.+)$/.exec(rest) ?? []);
  if (host === undefined || path === undefined || scheme?.toLowerCase() === "file") return null;
  const place = path.replace(/[?#].*$/, "").replace(/\/+$/, "");
  return `${host.toLowerCase()}/${place.replace(/\.git$/, "")}`;
}

/** The project of a clone: the one of its first commit, unless that came from elsewhere and was not joined. */
export function projectAmong(
  root: ProjectId,
  remote: string | null,
  known: readonly KnownRemote[],
): ProjectId {
  const firstCommit = firstCommitOf(root);
  if (remote === null || firstCommit === null) return root;
  const standing = known.find((one) => one.remote === remote)?.standing;
  const isFirst = !known.some((one) => one.standing === "own");
  const isSame = standing === undefined ? isFirst : standing !== "apart";
  return isSame ? commitId(firstCommit) : forkId(firstCommit, remote);
}
