// Streams commits out of git.
import { askGit, readGit } from "../../project/ask-git.ts";

export interface Commit {
  readonly hash: string;
  readonly author: string;
  readonly madeAtMs: number;
  readonly subject: string;
  readonly body: string;
  /** Paths that the commit changed. */
  readonly files: readonly string[];
}

/** No message, name or path holds a NUL. An empty field begins a commit, because no path is empty. */
const FIELDS = ["%H", "%an", "%at", "%s", "%b"] as const;
const FORMAT = `--format=${["", ...FIELDS, ""].join("%x00")}`;

/** At most this many paths are taken of a commit, which may rename a whole tree. */
const MAX_FILES = 40;
const MAX_BODY_CHARS = 4_000;

/** Counts the commits of HEAD's history, without merges. */
export async function countCommits(directory: string): Promise<number> {
  return Number(await askGit(directory, ["rev-list", "--no-merges", "--count", "HEAD"]));
}

/** Reads the hashes of HEAD's history and that of the given commits, without merges. */
export async function readHashes(
  directory: string,
  others: readonly string[],
): Promise<ReadonlySet<string>> {
  const hashes = await askGit(directory, ["rev-list", "--no-merges", "HEAD", ...others]);
  return new Set(hashes?.split("\n"));
}

/** Returns true if this repository has the commit; one that another clone knows may be missing here. */
export async function hasCommit(directory: string, commit: string): Promise<boolean> {
  return (await askGit(directory, ["cat-file", "-e", `${commit}^{commit}`])) !== null;
}

export async function isAncestor(directory: string, commit: string): Promise<boolean> {
  return (await askGit(directory, ["merge-base", "--is-ancestor", commit, "HEAD"])) !== null;
}

/**
 * Reads commits newest first, without merges.
 * @param known commits whose history is left out; they may be missing here
 * @throws if git can't be run, or fails
 */
export async function* readCommits(
  directory: string,
  known: readonly string[],
  abort: AbortSignal,
): AsyncGenerator<Commit> {
  const range = ["--ignore-missing", "HEAD", ...known.map((commit) => `^${commit}`)];
  const listed = await askGit(directory, ["rev-list", "--no-merges", ...range, "--"]);
  const hashes = new Set(listed?.split("\n").filter((hash) => hash !== ""));
  const args = ["log", "--no-merges", "--no-color", "--no-renames", "--name-only", "-z"];
  let fields: string[] = [];
  const chunks = readGit(directory, [...args, FORMAT, ...range, "--"], abort);
  for await (const field of fieldsIn(chunks)) {
    // After a commit's fields and the empty one that ends them, only names follow.
    if (field === "" && fields.length > FIELDS.length + 1) {
      const commit = parseCommit(fields);
      if (hashes.has(commit.hash)) yield commit;
      fields = [field];
    } else fields.push(field);
  }
  const last = parseCommit(fields);
  if (hashes.has(last.hash)) yield last;
}

async function* fieldsIn(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of chunks) {
    const fields = (rest + chunk).split("\0");
    rest = fields.pop() ?? "";
    yield* fields;
  }
}

function parseCommit(fields: readonly string[]): Commit {
  const [, hash = "", author = "", seconds = "", subject = "", body = "", , ...names] = fields;
  // Git puts a line break before the first name.
  const files = names.map((name, at) => (at === 0 ? name.replace(/^\n/, "") : name));
  return {
    hash,
    author,
    subject,
    madeAtMs: Number(seconds) * 1000,
    body: body.trim().slice(0, MAX_BODY_CHARS),
    files: files.slice(0, MAX_FILES),
  };
}
