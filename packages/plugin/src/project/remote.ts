// Whether a clone of a repository is the same project: by the place that it was cloned from. Pure.
import { hashText } from "../context/canonical.ts";
import { commitId, forkId, type ProjectId, parseFirstCommit } from "./project.ts";

/** A place that clones of a project came from: its own, one that the user has joined, or a fork kept apart. */
export const STANDINGS = ["own", "joined", "apart"] as const;

export interface KnownRemote {
  /** `host/path`, as `placeOfUrl` gives it. */
  readonly remote: string;
  readonly standing: (typeof STANDINGS)[number];
}

/** What is longer is named by its hash: it is shown, and stored. */
const MAX_PLACE_CHARS = 200;

/**
 * Where a URL of git's leads, however it is written: `github.com/acme/shop`. Null: to a folder of this machine,
 * or nowhere. Whoever can make a folder here can say anything in its settings, so that a folder proves nothing.
 * An address that isn't understood is a place of its own.
 */
export function placeOfUrl(url: string): string | null {
  const text = url.trim();
  if (/^(?:$|[/.~\\]|[a-z]:[/\\]|file:)/i.test(text) || !text.includes(":")) return null;
  const place = placeIn(text);
  const isPlain = place !== null && !/[\p{C}\s]/u.test(place) && place.length <= MAX_PLACE_CHARS;
  return isPlain ? place : `an address with the hash ${hashText(text)}`;
}

/** Servers by path alone; another port of the web, and another user's home, are other places. */
function placeIn(url: string): string | null {
  const web = /^([a-z][a-z0-9+.-]*):\/\/(?:[^/]*@)?(\[[^\]]+\]|[^:/@]+)(:\d*)?(\/.*|)$/i.exec(url);
  if (web) {
    const [, scheme = "", host = "", port = "", path = ""] = web;
    const isWeb = /^https?$/i.test(scheme) && !/^:(?:80|443)?$/.test(port);
    return `${host.toLowerCase()}${isWeb ? port : ""}/${trimmedPath(path)}`;
  }
  const [, user = "git", host, path = ""] =
    /^(?:([^@/]+)@)?(\[[^\]]+\]|[^:/@]+):(?!\/\/)(.*)$/.exec(url) ?? [];
  if (host === undefined) return null;
  const home = user === "git" || path.startsWith("/") ? "" : `${user}@`;
  return `${home}${host.toLowerCase()}/${trimmedPath(path)}`;
}

function trimmedPath(path: string): string {
  return path
    .replace(/#.*/, "")
    .replace(/^\/+|\/+$/g, "")
    .replace(/\.git$/, "");
}

/** The project of a clone: the one of its first commit, unless that came from elsewhere and was not joined. */
export function projectAmong(
  root: ProjectId,
  remote: string | null,
  known: readonly KnownRemote[],
): ProjectId {
  const firstCommit = parseFirstCommit(root);
  if (remote === null || firstCommit === null) return root;
  const standing = known.find((one) => one.remote === remote)?.standing;
  const isFirst = !known.some((one) => one.standing === "own");
  const isSame = standing === undefined ? isFirst : standing !== "apart";
  return isSame ? commitId(firstCommit) : forkId(firstCommit, remote);
}
