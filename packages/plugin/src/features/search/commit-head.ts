// Reads which commit a folder's HEAD is at; runs git only if the files that record it have changed.
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { hashText } from "../../context/canonical.ts";
import { askGit } from "../../project/ask-git.ts";

export interface Head {
  readonly commit: string;
  /** A digest of the commits at which a shallow clone's history ends; null if the history is complete. */
  readonly cut: string | null;
}

/** A file written within this time may be written again without a change of its size and times. */
const FRESH_MS = 2_000;

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

  /** Returns null without a repository or a commit. @throws if git doesn't answer */
  async head(): Promise<Head | null> {
    const known = this.#known;
    if (known !== null && this.#look(known.files) === known.look) return known.head;
    this.#known = null;
    const at = await findHeadFiles(this.directory);
    // Stamp the files before git runs, so that a change in the meantime is noticed.
    const look = at && this.#look(at.files);
    const commit = await askGit(this.directory, VERIFY);
    if (commit === null) return null;
    const head = { commit, cut: at && readShallowCut(at.shallow) };
    if (at && look !== null) this.#known = { files: at.files, look, head };
    return head;
  }

  /** Returns null if a file is too new for its stamp to be relied on. */
  #look(files: readonly string[]): string | null {
    const looks = files.map((file) => {
      const found = statSync(file, { bigint: true, throwIfNoEntry: false });
      if (found === undefined) return "none";
      if (Number(found.mtimeMs) > this.now() - FRESH_MS) return null;
      const { dev, ino, size, mtimeNs, ctimeNs } = found;
      return [dev, ino, size, mtimeNs, ctimeNs].join(":");
    });
    return looks.includes(null) ? null : looks.join(" ");
  }
}

const VERIFY = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];

interface HeadFiles {
  /** Lists HEAD, the branch that it names, packed branches, and the file that marks where a shallow clone ends. */
  readonly files: readonly string[];
  readonly shallow: string;
}

/** Returns null if only git can say: branches are stored in another way, or this git is older than 2.31. */
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

/** Git has read this file by now: had it been malformed, the question would have failed. */
function readShallowCut(shallow: string): string | null {
  const isShallow = statSync(shallow, { throwIfNoEntry: false })?.isFile() ?? false;
  return isShallow ? hashText(readFileSync(shallow, "utf8")) : null;
}
