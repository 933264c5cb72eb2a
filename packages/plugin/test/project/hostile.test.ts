import { afterAll, afterEach, expect, test } from "bun:test";
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelPort } from "../../src/feature-api/job.ts";
import { createProjectFiles } from "../../src/features/maintenance/project-files.ts";
import { defineQuestionJob } from "../../src/features/memory/smart-note-checks.ts";
import {
  countCommits,
  HeadWatch,
  hasCommit,
  isAncestor,
  readCommits,
  readHashes,
} from "../../src/features/search/commit-log.ts";
import { findProject } from "../../src/project/find-project.ts";
import { type ProjectId, toCommitId } from "../../src/project/project.ts";

const placesAt = (id: ProjectId | null) => ({
  knownAt: () => id,
  readRemotes: () => [],
  readWorktree: () => null,
});

const root = realpathSync(mkdtempSync(join(tmpdir(), "session-runtime-hostile-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const PATH = process.env.PATH ?? "";
afterEach(() => {
  process.env.PATH = PATH;
});

interface PlantedTrap {
  readonly path: string;
  /** A program that leaves a word about itself. */
  readonly canary: string;
  readonly head: string;
  readonly first: string;
}

/** Which object the repository lacks, although it says that a server has it. */
type MissingProgram = "nothing" | "head" | "first" | "tree";

interface Trap {
  readonly name: string;
  /** Settings of the unpacked repository, by key. */
  readonly settings: (planted: PlantedTrap) => Readonly<Record<string, string>>;
  readonly missing: readonly MissingProgram[];
}

const MISSING: readonly MissingProgram[] = ["head", "first", "tree"];

const TRAPS: readonly Trap[] = [
  {
    name: "a server over ssh",
    settings: ({ canary }) => ({
      ...promised("ssh://example.org/x"),
      "core.sshCommand": canary,
      "ssh.variant": "simple",
    }),
    missing: MISSING,
  },
  {
    name: "a folder as the server, with a program of its own",
    settings: ({ canary, path }) => ({
      ...promised(`file://${path}`),
      "remote.origin.uploadpack": canary,
      "protocol.file.allow": "always",
    }),
    missing: MISSING,
  },
  {
    name: "a program as the server",
    settings: ({ canary }) => ({
      ...promised(`ext::${canary}`),
      "protocol.ext.allow": "always",
      "protocol.allow": "always",
    }),
    missing: MISSING,
  },
  {
    name: "git's own protocol through a proxy",
    settings: ({ canary }) => ({
      ...promised("git://example.org/x"),
      "core.gitProxy": canary,
    }),
    missing: MISSING,
  },
  {
    name: "a server that asks for a password, and a bundle of one",
    settings: ({ canary }) => ({
      ...promised("http://127.0.0.1:9/x"),
      "fetch.bundleURI": "http://127.0.0.1:9/bundle",
      "credential.helper": `!${canary}`,
      "core.askPass": canary,
    }),
    missing: ["head"],
  },
  {
    name: "programs for signatures, looks, hooks, pages, differences and names",
    settings: ({ canary, path }) => ({
      "log.showSignature": "true",
      "gpg.program": canary,
      "core.fsmonitor": canary,
      "core.pager": canary,
      "pager.log": "true",
      "core.hooksPath": join(path, "hooks"),
      "core.editor": canary,
      "core.alternateRefsCommand": canary,
      "diff.external": canary,
      "diff.evil.command": canary,
      "diff.evil.textconv": canary,
      "filter.evil.clean": canary,
      "filter.evil.smudge": canary,
      "filter.evil.process": canary,
      "alias.log": `!${canary}`,
      "alias.rev-list": `!${canary}`,
      "uploadpack.packObjectsHook": canary,
    }),
    missing: ["nothing"],
  },
];

/** Every question that we ask git, by the code that asks it. */
const ASKED: Readonly<Record<string, (planted: PlantedTrap) => Promise<unknown>>> = {
  head: ({ path }) => new HeadWatch(path, Date.now).readHead(),
  countCommits: ({ path }) => countCommits(path),
  readHashes: ({ path, first }) => readHashes(path, [first]),
  hasCommit: ({ path }) => hasCommit(path, "1a".repeat(20)),
  isAncestor: ({ path, first }) => isAncestor(path, first),
  "commitsOf, all": ({ path }) => readAll(path, []),
  "commitsOf, new ones": ({ path, first }) => readAll(path, [first, "1a".repeat(20)]),
  "projectOf, for the first time": ({ path }) => findProject(path, placesAt(null)),
  "projectOf, known": ({ path, first }) => findProject(path, placesAt(toCommitId(first))),
  "projectFiles.look": ({ path }) => createProjectFiles(path).look(["a.txt"]),
  "projectFiles.read": ({ path }) => createProjectFiles(path).read(["a.txt"]),
  "a note's question": ({ path }) => askedNote(path),
};

/** An older git doesn't know the variable that forbids fetching what is missing. */
const GITS = { "this git": PATH, "an older git": `${olderGit()}:${PATH}` } as const;

const CASES = TRAPS.flatMap((trap) =>
  trap.missing.flatMap((missing) =>
    Object.entries(GITS).map(
      ([version, path]) => [trap.name, missing, version, trap, path] as const,
    ),
  ),
);

test.each(CASES)(
  "no question of ours starts a program of the repository's: %s, %s missing, %s",
  async (_name, missing, _version, { settings }, path) => {
    const planted = plant(missing);
    configure(planted, settings(planted));
    process.env.PATH = path;
    for (const [asked, ask] of Object.entries(ASKED)) {
      // What git can't answer may be an error: what counts is what ran.
      await ask(planted).catch(() => undefined);
      expect([asked, ranIn(planted)]).toEqual([asked, ""]);
    }
  },
);

test("the traps work: git that is asked plainly falls into each of them", () => {
  const fell = TRAPS.map(({ name, settings, missing }) => {
    const planted = plant(missing[0] ?? "nothing");
    configure(planted, settings(planted));
    spawnSync("git", ["-C", planted.path, "log", "-p", "--name-only"], {
      env: { ...process.env, GIT_TERMINAL_PROMPT: "0" },
    });
    return [name, ranIn(planted) === "" ? "no" : "yes"];
  });
  // Nobody answers the one that would ask for a password.
  const silent = "a server that asks for a password, and a bundle of one";
  expect(fell).toEqual(TRAPS.map(({ name }) => [name, name === silent ? "no" : "yes"]));
});

function promised(url: string): Readonly<Record<string, string>> {
  return {
    "core.repositoryFormatVersion": "1",
    "extensions.partialClone": "origin",
    "remote.origin.promisor": "true",
    "remote.origin.url": url,
  };
}

/** Two commits, the newer one signed; one of their objects is lost. */
function plant(missing: MissingProgram): PlantedTrap {
  const path = mkdtempSync(join(root, "unpacked-"));
  git(path, "init", "-qb", "main");
  const canary = join(path, "canary.sh");
  writeFileSync(canary, `#!/bin/sh\necho "$0 $*" >> "${join(path, "ran")}"\n`, { mode: 0o755 });
  mkdirSync(join(path, "hooks"));
  for (const hook of ["post-index-change", "reference-transaction", "pre-auto-gc"]) {
    writeFileSync(join(path, "hooks", hook), readFileSync(canary), { mode: 0o755 });
  }
  writeFileSync(join(path, "a.txt"), "one\n");
  writeFileSync(join(path, ".gitattributes"), "*.txt diff=evil filter=evil\n");
  git(path, "add", "-A");
  const tree = git(path, "write-tree");
  const first = signedCommit(path, tree, []);
  const head = signedCommit(path, tree, [first]);
  git(path, "update-ref", "HEAD", head);
  const lost = { nothing: null, head, first, tree }[missing];
  if (lost !== null) rmSync(join(path, ".git/objects", lost.slice(0, 2), lost.slice(2)));
  return { path, canary, head, first };
}

function configure({ path }: PlantedTrap, settings: Readonly<Record<string, string>>): void {
  for (const [key, value] of Object.entries(settings)) git(path, "config", key, value);
}

function olderGit(): string {
  const folder = mkdtempSync(join(root, "bin-"));
  const script = `#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nexec "${Bun.which("git")}" "$@"\n`;
  writeFileSync(join(folder, "git"), script, { mode: 0o755 });
  return folder;
}

function signedCommit(path: string, tree: string, parents: readonly string[]): string {
  const who = "Ann <ann@example.org> 1 +0000";
  const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----";
  const lines = [`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`), `author ${who}`];
  const text = `${[...lines, `committer ${who}`, signature].join("\n")}\n\nSigned\n`;
  const args = ["-C", path, "hash-object", "-t", "commit", "-w", "--stdin"];
  return execFileSync("git", args, { input: text, encoding: "utf8" }).trim();
}

function git(path: string, ...args: readonly string[]): string {
  return execFileSync("git", ["-C", path, ...args], { encoding: "utf8", stdio: "pipe" }).trim();
}

function ranIn({ path }: PlantedTrap): string {
  return existsSync(join(path, "ran")) ? readFileSync(join(path, "ran"), "utf8") : "";
}

async function readAll(path: string, known: readonly string[]): Promise<void> {
  for await (const _ of readCommits(path, known, new AbortController().signal));
}

async function askedNote(directory: string): Promise<unknown> {
  const model: ModelPort = {
    ask: async () => ({ kind: "answered", text: "no", inputTokens: 0, outputTokens: 0 }),
  };
  const job = defineQuestionJob({
    directory,
    fallbacks: [],
    messages: async () => [],
    now: () => 2_000,
  });
  const input = { id: "n1", sessionId: "ses_1", question: "Is it merged?", writtenAtMs: 1_000 };
  return await job.run(model, input, 1);
}
