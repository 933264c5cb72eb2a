// A history of a hundred thousand commits, indexed and searched.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CommitIndex } from "@session-runtime/opencode/features/search/commit-index";
import { CommitIndexer } from "@session-runtime/opencode/features/search/commit-indexer";
import { parseTerms } from "@session-runtime/opencode/features/search/query-words";
import { IndexFile } from "@session-runtime/opencode/search-index/file";
import { loadRuntimeDriver } from "@session-runtime/opencode/storage/connect";
import type { ProjectId } from "@session-runtime/opencode/storage/records";
import { processorMs } from "../figures.ts";
import { chance } from "../recall-corpus.ts";

const PROJECT = "project" as ProjectId;

export interface CommitTimes {
  readonly indexMs: number;
  /** HEAD has moved by one commit. */
  readonly nextMs: number;
  readonly searchMs: readonly number[];
  readonly fileBytes: number;
}

export const COMMITS = 100_000;
const SEARCHES = 200;
/** As the plugin has it, so that the host has its turn. */
const PAUSE_MS = 2;

export async function measureCommits(): Promise<CommitTimes> {
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-bench-"));
  const file = new IndexFile({
    path: join(folder, "runtime.recall.db"),
    openDriver: await loadRuntimeDriver(),
    notice: () => undefined,
    over: () => undefined,
  });
  try {
    const directory = join(folder, "repository");
    await importHistory(directory);
    const failures: unknown[] = [];
    const update = async () => {
      const indexer = new CommitIndexer({
        ...{ file, directory, project: async () => PROJECT, most: COMMITS + 1, now: Date.now },
        tooMany: (commits) => failures.push(`${commits} are too many`),
        failed: (error) => failures.push(error),
        pause: () => new Promise((resolve) => void setTimeout(resolve, PAUSE_MS)),
      });
      const startedAt = performance.now();
      await indexer.update();
      indexer.close();
      return performance.now() - startedAt;
    };
    const indexMs = await update();
    const author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
    execFileSync("git", ["-C", directory, ...author, "commit", "--allow-empty", "-qm", "One more"]);
    const nextMs = await update();
    if (failures.length > 0) throw failures[0];
    const searchMs = searched(file);
    return { indexMs, nextMs, searchMs, fileBytes: file.sizeBytes };
  } finally {
    file.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const VERBS = "Add Fix Drop Move Test Document Speed Simplify Rename Keep".split(" ");
const THINGS =
  "gateway cart price order staging database queue worker cache token retry budget webhook invoice session parser".split(
    " ",
  );

function composeSubject(number: number): string {
  return `${VERBS[number % VERBS.length]} the ${THINGS[(number * 7) % THINGS.length]} of part ${number}`;
}

async function importHistory(directory: string): Promise<void> {
  execFileSync("git", ["init", "-qb", "main", directory]);
  const git = spawn("git", ["-C", directory, "fast-import", "--quiet"], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  const ended = once(git, "close");
  for (let number = 1; number <= COMMITS; number += 1) {
    if (!git.stdin.write(commitText(number))) await once(git.stdin, "drain");
  }
  git.stdin.end();
  const [code] = await ended;
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
}

function commitText(number: number): string {
  const message = `${composeSubject(number)}\n\nIt takes ${number} ms now; see docs/part-${number % 900}.md for why.\n`;
  const content = `part ${number}\n`;
  return [
    "commit refs/heads/main",
    `committer Ada <ada@example.com> ${1_600_000_000 + number * 60} +0000`,
    `data ${Buffer.byteLength(message)}`,
    message,
    `M 100644 inline src/part-${number % 900}/${THINGS[number % THINGS.length]}.ts`,
    `data ${Buffer.byteLength(content)}`,
    content,
  ].join("\n");
}

function searched(file: IndexFile): readonly number[] {
  const random = chance(3);
  return file.use((store) => {
    const index = new CommitIndex(store);
    return Array.from({ length: SEARCHES }, () => {
      const query = `why did we ${composeSubject(1 + Math.floor(random() * COMMITS)).toLowerCase()}`;
      const startedAt = processorMs();
      const found = index.search(PROJECT, parseTerms(query));
      const tookMs = processorMs() - startedAt;
      if (found.length === 0) throw new Error(`Nothing found: ${query}`);
      return tookMs;
    });
  });
}
