// Decides by its origin whether a repository's clone is the same project. Pure.
import { hashText } from "../context/canonical.ts";
import { commitId, forkId, type ProjectId, parseFirstCommit } from "./project.ts";

/** Lists what an origin can be: the project's own, one that the user has joined, or a fork kept apart. */
export const STANDINGS = ["own", "joined", "apart"] as const;

export interface KnownRemote {
  /** The origin as `host/path`, in the form that `parseUrlPlace` returns. */
  readonly remote: string;
  readonly standing: (typeof STANDINGS)[number];
}

/** Limits an origin's length, because it is shown and stored; a longer one is replaced by its hash. */
const MAX_PLACE_CHARS = 200;

/**
 * Normalizes a git URL, however it is written, to `github.com/acme/shop`. Null where it leads to a local
 * folder, or nowhere: whoever can make a folder here can write anything into its settings, so a folder proves
 * nothing. An address that isn't understood counts as an origin of its own.
 */
export function parseUrlPlace(url: string): string | null {
  const text = url.trim();
  if (/^(?:$|[/.~\\]|[a-z]:[/\\]|file:)/i.test(text) || !text.includes(":")) return null;
  const place = placeIn(text);
  const isPlain = place !== null && !/[\p{C}\s]/u.test(place) && place.length <= MAX_PLACE_CHARS;
  return isPlain ? place : `an address with the hash ${hashText(text)}`;
}

/**
 * Returns server and path, without the user and a default port; another web port, or another home, is another
 * origin.
 */
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

/** Returns a clone's project: that of its first commit, unless its origin differs and was not joined. */
export function chooseProject(
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
