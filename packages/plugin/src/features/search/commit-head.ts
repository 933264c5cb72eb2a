// Where a folder's HEAD stands: git is asked only when the files that say so have changed.
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { hashText } from "../../context/canonical.ts";
import { askGit } from "../../project/ask-git.ts";

export interface Head {
  readonly commit: string;
  /** A digest of where a shallow clone's history ends; null: all of it is there. */
  readonly cut: string | null;
}

/** A file that was written within this time may be written again without a trace in its figures. */
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

  /** Null without a repository or a commit. @throws where git doesn't answer */
  async head(): Promise<Head | null> {
    const known = this.#known;
    if (known !== null && this.#look(known.files) === known.look) return known.head;
    this.#known = null;
    const at = await findHeadFiles(this.directory);
    // Before git is asked: what changes meanwhile is to be noticed.
    const look = at && this.#look(at.files);
    const commit = await askGit(this.directory, VERIFY);
    if (commit === null) return null;
    const head = { commit, cut: at && readShallowCut(at.shallow) };
    if (at && look !== null) this.#known = { files: at.files, look, head };
    return head;
  }

  /** Null: too fresh to be relied on. */
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
  /** HEAD, the branch that it names, packed branches, and where a shallow clone ends. */
  readonly files: readonly string[];
  readonly shallow: string;
}

/** Null: git alone can say, as branches are kept in another way, or this git is older than 2.31. */
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

/** Git has read the file by now: what isn't its own has ended the question. */
function readShallowCut(shallow: string): string | null {
  const isShallow = statSync(shallow, { throwIfNoEntry: false })?.isFile() ?? false;
  return isShallow ? hashText(readFileSync(shallow, "utf8")) : null;
}
