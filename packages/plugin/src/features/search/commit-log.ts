// Streams commits out of git, and reads which commit a folder's HEAD is at.
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { hashText } from "../../context/canonical.ts";
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
const LOG_FIELDS = ["%H", "%an", "%at", "%s", "%b"] as const;
const LOG_FORMAT = `--format=${["", ...LOG_FIELDS, ""].join("%x00")}`;

/** At most this many paths of a commit are kept, because a commit may rename a whole tree. */
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

/** Returns true if this repository has the commit; a commit that another clone knows may be missing here. */
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
  const chunks = readGit(directory, [...args, LOG_FORMAT, ...range, "--"], abort);
  for await (const field of splitFields(chunks)) {
    // A commit's fields end with an empty one, after which only file names follow.
    if (field === "" && fields.length > LOG_FIELDS.length + 1) {
      const commit = parseCommit(fields);
      if (hashes.has(commit.hash)) yield commit;
      fields = [field];
    } else fields.push(field);
  }
  const last = parseCommit(fields);
  if (hashes.has(last.hash)) yield last;
}

async function* splitFields(chunks: AsyncIterable<string>): AsyncGenerator<string> {
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

// Reads which commit a folder's HEAD is at; runs git only if the files that record it have changed.

export interface Head {
  readonly commit: string;
  /** A digest of the commits at which a shallow clone's history ends; null if the history is complete. */
  readonly cut: string | null;
}

/** A file written within this time may be written again without a change of its size and times. */
const RECENT_WRITE_MS = 2_000;

interface CachedHead {
  readonly files: readonly string[];
  readonly look: string;
  readonly head: Head;
}

export class HeadWatch {
  #known: CachedHead | null = null;

  constructor(
    private readonly directory: string,
    private readonly now: () => number,
  ) {}

  /** Returns null if there is no repository or no commit. @throws if git doesn't answer */
  async readHead(): Promise<Head | null> {
    const known = this.#known;
    if (known !== null && this.#statFiles(known.files) === known.look) return known.head;
    this.#known = null;
    const at = await findHeadFiles(this.directory);
    // The files are stamped before git runs, so that a change in the meantime is noticed.
    const look = at && this.#statFiles(at.files);
    const commit = await askGit(this.directory, VERIFY_HEAD_ARGS);
    if (commit === null) return null;
    const head = { commit, cut: at && readShallowCut(at.shallow) };
    if (at && look !== null) this.#known = { files: at.files, look, head };
    return head;
  }

  /** Returns null if a file is too new for its stamp to be relied on. */
  #statFiles(files: readonly string[]): string | null {
    const looks = files.map((file) => {
      const found = statSync(file, { bigint: true, throwIfNoEntry: false });
      if (found === undefined) return "none";
      if (Number(found.mtimeMs) > this.now() - RECENT_WRITE_MS) return null;
      const { dev, ino, size, mtimeNs, ctimeNs } = found;
      return [dev, ino, size, mtimeNs, ctimeNs].join(":");
    });
    return looks.includes(null) ? null : looks.join(" ");
  }
}

const VERIFY_HEAD_ARGS = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];

interface HeadFiles {
  /** Lists HEAD, the branch that it names, packed branches, and the file that marks where a shallow clone ends. */
  readonly files: readonly string[];
  readonly shallow: string;
}

/** Returns null if only git can read HEAD: branches are stored in another way, or git is older than 2.31. */
async function findHeadFiles(directory: string): Promise<HeadFiles | null> {
  const paths = ["HEAD", "packed-refs", "shallow"].flatMap((name) => ["--git-path", name]);
  const answer = await askGit(directory, [
    ...["rev-parse", "--path-format=absolute", ...paths, "--symbolic-full-name", "HEAD"],
  ]);
  const [head, packed, shallow, branch, ...others] = answer?.split("\n") ?? [];
  if (!head || !packed || !shallow || !branch || others.length > 0) return null;
  const folder = dirname(packed);
  if (existsSync(join(folder, "reftable"))) return null;
  if (branch !== "HEAD" && !branch.startsWith("refs/heads/")) return null;
  const files = [head, packed, shallow, ...(branch === "HEAD" ? [] : [join(folder, branch)])];
  return { files, shallow };
}

/** Returns null for a complete clone. Git has read the file by now, and would have failed at a bad one. */
function readShallowCut(shallow: string): string | null {
  const isShallow = statSync(shallow, { throwIfNoEntry: false })?.isFile() ?? false;
  return isShallow ? hashText(readFileSync(shallow, "utf8")) : null;
}
