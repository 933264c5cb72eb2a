// Reads notes and workflow folders, within bounds on files, bytes and time.
import type { Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { findProjectPlace, type ProjectPlace } from "../../project/find-project.ts";
import {
  Confinement,
  decodeUtf8,
  type OpenFile,
  threadDisk,
  withOpenFile,
} from "../../sources/read-file.ts";
import { withTimeout } from "../../sources/with-timeout.ts";
import { type ArtifactState, parseArtifactState, type WorkFolder } from "./recognise.ts";
import type { Workflow } from "./workflows.ts";

/** Limits how much of a workspace is read. */
export interface ReadBounds {
  /** The most files whose text is read. */
  readonly files: number;
  /**
   * The most bytes that are read of one file; of a larger file, the first and the last half of this number
   * are read.
   */
  readonly bytesPerFile: number;
  /** The most folders that are read of one workflow. */
  readonly folders: number;
  /** The time in milliseconds after which no further file is read. */
  readonly timeoutMs: number;
}

export const defaultReadBounds: ReadBounds = {
  files: 40,
  bytesPerFile: 131_072,
  folders: 1000,
  timeoutMs: 15_000,
};

/** Holds what a first look at a workspace has found. */
interface WorkspaceSurvey {
  /** The relative path from the session's directory to the surveyed folder: "" or "../../". */
  readonly prefix: string;
  /** The text of SESSION.md; empty if there is none. */
  readonly session: string;
  /** The text of AGENTS.md; empty if there is none. */
  readonly agents: string;
  readonly folders: readonly WorkFolder[];
}

const EMPTY_SURVEY: WorkspaceSurvey = { prefix: "", session: "", agents: "", folders: [] };

/** The time that reads in progress have after the deadline, in milliseconds. */
const DEADLINE_GRACE_MS = 50;

/** The most folders that are read at the same time. */
const MAX_CONCURRENT_READS = 64;

/**
 * Reads notes and workflows of a workspace, within bounds. Anything that is missing, unreadable, late, not a
 * regular file, or outside the project counts as absent. Never throws.
 */
export class WorkspaceReader {
  readonly #deadlineMs: number;
  #filesLeft: number;
  #root = "";
  readonly #place: ProjectPlace;
  readonly #confinement: Confinement;
  /** Paths that were not read because they lead out of the project. */
  readonly outside = new Set<string>();

  /** Creates a reader for one brief. `now` returns milliseconds since an arbitrary moment. */
  constructor(
    directory: string,
    private readonly bounds: ReadBounds,
    private readonly now: () => number,
  ) {
    this.#deadlineMs = now() + bounds.timeoutMs;
    this.#filesLeft = bounds.files;
    this.#place = findProjectPlace(directory);
    this.#confinement = new Confinement(this.#place.root, (path) => this.outside.add(path));
  }

  survey(workflows: readonly Workflow[]): Promise<WorkspaceSurvey> {
    return this.#awaitUntilDeadline(this.#survey(workflows), EMPTY_SURVEY);
  }

  /** Returns the folder's artifacts, in the workflow's order. */
  readArtifacts(folder: WorkFolder): Promise<readonly ArtifactState[]> {
    return this.#awaitUntilDeadline(this.#readArtifacts(folder), []);
  }

  async #survey(workflows: readonly Workflow[]): Promise<WorkspaceSurvey> {
    const { directory } = this.#place;
    this.#root = await this.#findRoot(workflows);
    const [session, agents] = [
      await this.#readText("SESSION.md"),
      await this.#readText("AGENTS.md"),
    ];
    const folders: WorkFolder[] = [];
    for (const workflow of workflows) {
      folders.push(...(await this.#readFolders(workflow, session ?? "")));
    }
    const way = relative(directory, this.#root).replaceAll(sep, "/");
    return {
      prefix: way === "" ? "" : `${way}/`,
      session: session ?? "",
      agents: agents ?? "",
      folders,
    };
  }

  async #readArtifacts({ workflow, name, files }: WorkFolder): Promise<readonly ArtifactState[]> {
    const states: ArtifactState[] = [];
    for (const artifact of workflow.artifacts) {
      if (!files.some(({ file }) => file === artifact.file)) continue;
      const text = await this.#readText(join(workflow.root, name, artifact.file));
      if (text !== null) states.push(parseArtifactState(artifact, text));
    }
    return states;
  }

  /**
   * Resolves to `otherwise` at the deadline, so that a file system that does not answer can't delay the brief
   * further.
   */
  #awaitUntilDeadline<Result>(work: Promise<Result>, otherwise: Result): Promise<Result> {
    const leftMs = Math.max(this.#deadlineMs - this.now(), 0);
    return withTimeout(leftMs + DEADLINE_GRACE_MS, work, () => otherwise);
  }

  /**
   * Returns the nearest folder, from the session's directory up to the project's root, that has notes or a workflow.
   */
  async #findRoot(workflows: readonly Workflow[]): Promise<string> {
    const { directory, root: top } = this.#place;
    for (let folder = directory; !this.#isLate(); folder = dirname(folder)) {
      for (const name of ["SESSION.md", ...workflows.map(({ root }) => root)]) {
        if (await tryStat(join(folder, name))) return folder;
      }
      if (folder === top || dirname(folder) === folder) break;
    }
    return directory;
  }

  async #readFolders(workflow: Workflow, session: string): Promise<readonly WorkFolder[]> {
    const root = join(this.#root, workflow.root);
    if (this.#isLate() || !(await this.#confinement.contains(root))) return [];
    const names = this.#chooseNames(await listNames(root), session);
    const folders: WorkFolder[] = [];
    for (let at = 0; at < names.length && !this.#isLate(); at += MAX_CONCURRENT_READS) {
      const some = names.slice(at, at + MAX_CONCURRENT_READS);
      folders.push(...(await Promise.all(some.map((name) => readFolder(workflow, root, name)))));
    }
    return folders.filter(({ files }) => files.length > 0);
  }

  /**
   * Returns the names to read. If there are too many, it takes those that SESSION.md names and then the last
   * ones, since folders are numbered or dated.
   */
  #chooseNames(names: readonly string[], session: string): readonly string[] {
    const sorted = [...names].sort();
    const named = sorted.filter((name) => session.includes(name)).slice(-this.bounds.folders);
    return [...new Set([...named, ...sorted.toReversed()])].slice(0, this.bounds.folders).sort();
  }

  /** Returns a regular file's text, or the two ends of a large one; null for anything else. */
  async #readText(path: string): Promise<string | null> {
    if (this.#filesLeft <= 0 || this.#isLate()) return null;
    const file = join(this.#root, path);
    const ends = await withOpenFile(file, this.#confinement, threadDisk, (opened) => {
      this.#filesLeft -= 1;
      return readEnds(opened, this.bounds.bytesPerFile);
    }).catch(returnNull);
    return ends === null || typeof ends === "string" ? null : ends.text;
  }

  #isLate(): boolean {
    return this.now() >= this.#deadlineMs;
  }
}

async function readFolder(workflow: Workflow, root: string, name: string): Promise<WorkFolder> {
  const files = await Promise.all(
    workflow.artifacts.map(async ({ file }) => {
      const seen = await tryStat(join(root, name, file));
      return seen?.isFile() ? [{ file, changedAtMs: seen.mtimeMs }] : [];
    }),
  );
  return { workflow, name, files: files.flat() };
}

// Replaces anything that can't be read, whatever the reason: the brief is made from the rest.
function returnNull(): null {
  return null;
}

function tryStat(path: string): Promise<Stats | null> {
  return stat(path).catch(returnNull);
}

async function listNames(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(returnNull)) ?? [];
}

async function readEnds({ identity, read }: OpenFile, limitBytes: number) {
  const size = Number(identity.size);
  if (size <= limitBytes) {
    return { text: decodeUtf8(await read(0, Math.min(size + 4096, limitBytes))) };
  }
  const half = Math.floor(limitBytes / 2);
  const head = decodeUtf8(await read(0, half));
  const tail = decodeUtf8(await read(size - half, half));
  const text = `${head.slice(0, head.lastIndexOf("\n") + 1)}${tail.slice(tail.indexOf("\n") + 1)}`;
  return { text };
}
