import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CommitIndex } from "@session-runtime/opencode/features/search/commit-index";
import { VectorStore } from "@session-runtime/opencode/features/search/vector-store";
import { toFolderId } from "@session-runtime/opencode/project/project";
import { SESSIONS_PER_PROJECT } from "@session-runtime/opencode/search-index/collection";
import { toIndexPath } from "@session-runtime/opencode/search-index/place";
import { IndexStore } from "@session-runtime/opencode/search-index/store";
import type { Driver } from "@session-runtime/opencode/storage/driver";
import { openBunDriver } from "@session-runtime/opencode/storage/driver-bun";
import { endpoint } from "../../../plugin/test/features/search/vector-endpoint-server.ts";
import { type DataFolder, DataFolders } from "./data-folder.ts";

const projectAt = (folder: DataFolder) => toFolderId(realpathSync(folder.home));

setDefaultTimeout(600_000);
const folders = new DataFolders();

function openHostDatabase({ home }: DataFolder): Driver {
  const path = join(home, ".local/share/opencode/opencode.db");
  mkdirSync(dirname(path), { recursive: true });
  const driver = openBunDriver(path);
  driver.exec(`CREATE TABLE IF NOT EXISTS session (
      id TEXT, title TEXT, revert TEXT, directory TEXT, project_id TEXT, time_updated INTEGER);
    CREATE TABLE IF NOT EXISTS message (id TEXT, session_id TEXT, data TEXT);
    CREATE TABLE IF NOT EXISTS part (id TEXT, message_id TEXT, session_id TEXT, data TEXT)`);
  return driver;
}

interface SaidText {
  readonly session: string;
  readonly directory: string;
  readonly project: string;
  readonly texts: readonly string[];
  readonly revert?: string;
}

function store(folder: DataFolder, { session, directory, project, texts, revert }: SaidText): void {
  const host = openHostDatabase(folder);
  host.run(
    "INSERT INTO session VALUES (?, ?, ?, ?, ?, 1)",
    ...[session, `About ${session}`, revert ?? null, directory, project],
  );
  for (const [at, text] of texts.entries()) {
    const id = `msg_${session}_${at}`;
    const data = JSON.stringify({ role: "user", time: { created: 1_750_000_000_000 } });
    host.run("INSERT INTO message VALUES (?, ?, ?)", id, session, data);
    const part = JSON.stringify({ type: "text", text });
    host.run("INSERT INTO part VALUES (?, ?, ?, ?)", `prt_${session}_${at}`, id, session, part);
  }
  host.close();
}

/** Two sessions of this folder's project, one of another. */
function filled(): DataFolder {
  const folder = folders.make();
  const here = { directory: folder.home, project: "first-commit" };
  store(folder, { ...here, session: "ses_a", texts: ["the heron nests at 5433", "unrelated"] });
  store(folder, { ...here, session: "ses_b", texts: ["the heron flies"] });
  store(folder, {
    session: "ses_c",
    directory: "/x",
    project: "global",
    texts: ["a heron far away"],
  });
  return folder;
}

async function found(folder: DataFolder, ...words: readonly string[]): Promise<readonly string[]> {
  const { out } = await folder.run(["search", ...words, "--json"]);
  const { hits }: { readonly hits: readonly { readonly sessionId: string }[] } = JSON.parse(out);
  return hits.map(({ sessionId }) => sessionId).toSorted();
}

describe("index and search", () => {
  test("index reads what OpenCode has, and search finds it: in all sessions, a project's, or one", async () => {
    const folder = filled();
    const { out, err, exitCode } = await folder.run(["index"]);
    expect({ err, exitCode }).toEqual({ err: "", exitCode: 0 });
    expect(out).toStartWith("Indexed 3 sessions with 4 texts and results:");
    expect(await found(folder, "heron")).toEqual(["ses_a", "ses_b", "ses_c"]);
    expect(await found(folder, "heron", "--project")).toEqual(["ses_a", "ses_b"]);
    expect(await found(folder, "heron", "--session", "ses_b")).toEqual(["ses_b"]);
    expect(await found(folder, "zyzzyva")).toEqual([]);
    const unknown = await folder.run(["search", "heron", "--session", "ses_z"]);
    expect(unknown.exitCode).toBe(4);
    expect(unknown.err).toContain("Nothing of the session ses_z is indexed.");
    const shown = await folder.run(["search", "5433"]);
    expect(shown.out).toMatch(
      /^r:\w{6} {2}user\n {2}.* ago, ses_a, About ses_a\n {2}1\| the heron nests at 5433/,
    );
  });

  test("sessions are indexed under their folders' projects: a clone is the same, and what is gone by its first commit or its path", async () => {
    const folder = folders.make();
    const git = (cwd: string, ...words: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...words], {
        cwd,
        encoding: "utf8",
        stdio: "pipe",
      }).trim();
    const [repository, clone] = [join(folder.home, "shop"), join(folder.home, "clone")];
    mkdirSync(repository);
    git(repository, "init", "-q");
    git(repository, "commit", "-q", "--allow-empty", "-m", "First");
    git(folder.home, "clone", "-q", repository, clone);
    const first = git(repository, "rev-parse", "HEAD");
    const texts = ["a heron"];
    const of = (directory: string, project: string) => ({ directory, project, texts });
    store(folder, { ...of(repository, first), session: "ses_a" });
    store(folder, { ...of(clone, "global"), session: "ses_b" });
    store(folder, { ...of("/gone/tree", first), session: "ses_c" });
    store(folder, { ...of("/gone/plain", "global"), session: "ses_d" });
    await folder.run(["index"]);
    const index = openBunDriver(toIndexPath(folder.path));
    const projects =
      index.all(`SELECT collection.key AS session, project.key AS project FROM collection
      JOIN project ON project.id = collection.id / ${SESSIONS_PER_PROJECT} ORDER BY collection.key`);
    index.close();
    expect(projects.map(({ session, project }) => [session, project])).toEqual([
      ["ses_a", `commit:${first}`],
      ["ses_b", `commit:${first}`],
      ["ses_c", `commit:${first}`],
      ["ses_d", "folder:/gone/plain"],
    ]);
  });

  test("Y10: search finds this folder's memories as well", async () => {
    const folder = filled();
    await folder.run(["index"]);
    folder.open();
    await folder.run(["memory", "add", "Herons are protected.", "--category", "constraints"]);
    const { out } = await folder.run(["search", "heron"]);
    expect(out).toMatch(
      /\n\nm:\w{6} {2}memory, CONSTRAINTS, just now\n {2}1\| Herons are protected\.\n$/,
    );
    const { findings } = JSON.parse((await folder.run(["search", "protected", "--json"])).out);
    expect(findings).toMatchObject([{ lines: ["Herons are protected."] }]);
    const other = await folder.run(["search", "protected", "--session", "ses_a", "--json"]);
    expect(JSON.parse(other.out)).toEqual({ hits: [], findings: [] });
  });

  test("Y10, Y11: it finds notes and commits of this folder's project, and nothing is written for being found", async () => {
    const folder = filled();
    await folder.run(["index"]);
    folder.open();
    const driver = openBunDriver(folder.path);
    await folder.run(["memory", "add", "Herons are protected.", "--category", "constraints"]);
    driver.run(
      "INSERT INTO note (id, ref, project, text, by, state, written_at_ms) SELECT 'n1', 'n:00000a', id, 'Feed the heron.', 'user', 'open', 1 FROM memory_project",
    );
    const commits = openBunDriver(toIndexPath(folder.path));
    const index = new CommitIndex(new IndexStore(commits));
    index.begin(projectAt(folder), folder.path, { whole: null, goal: null, cut: null });
    const hash = "0123456789abcdef0123456789abcdef01234567";
    const files = ["src/heron.ts"];
    const commit = { hash, author: "Ada", madeAtMs: 1_750_000_000_000, subject: "Ring herons" };
    index.add(projectAt(folder), [{ ...commit, body: "Each has a number.", files }]);
    commits.close();
    const { out } = await folder.run(["search", "heron"]);
    expect(out).toContain("n:00000a  open note");
    expect(out).toMatch(
      /c:\w{6} {2}commit 0123456789 by Ada, .*\n {2}1\| Ring herons\n {2}2\| Each has/,
    );
    expect(out).toContain("memory, CONSTRAINTS");
    expect(driver.get("SELECT sum(uses) AS uses FROM memory")).toEqual({ uses: 0 });
    driver.run("UPDATE note SET state = 'done'");
    expect((await folder.run(["search", "heron"])).out).not.toContain("n:00000a");
    driver.close();
  });

  test("Y10: with an endpoint for embeddings it finds what means the same; without an answer, words", async () => {
    const { url, requests, state } = await endpoint();
    const folder = filled();
    await folder.run(["index"]);
    folder.open();
    await folder.run(["memory", "add", "Amounts are integers.", "--category", "constraints"]);
    const memory = /m:\w{6}/.exec((await folder.run(["search", "integers"])).out)?.[0] ?? "";
    const config = join(folder.home, ".config/opencode/session-runtime.json");
    mkdirSync(dirname(config), { recursive: true });
    writeFileSync(config, JSON.stringify({ vectors: { url, model: "ideas-1", apiKeyEnv: "" } }));
    const vectors = openBunDriver(toIndexPath(folder.path));
    const store = new VectorStore(new IndexStore(vectors));
    const extent = store.enter(projectAt(folder), folder.home, "ideas-1");
    store.keep(projectAt(folder), "memory", [{ key: memory, digest: "d" }]);
    const [passage = 0] = store.listDue(projectAt(folder), "memory");
    const vector = Float32Array.from([1, 0, 0, 0, 0, 0, 0]);
    store.add(extent, "ideas-1", [{ passage, vector }]);
    vectors.close();
    const { out } = await folder.run(["search", "money cost"]);
    expect(out).toContain("Amounts are integers.");
    expect(requests.map(({ input }) => input)).toEqual([["money cost"]]);
    state.misbehave = () => new Response("", { status: 500 });
    expect((await folder.run(["search", "money cost"])).out).toStartWith("Nothing found");
    expect((await folder.run(["search", "integers"])).out).toContain("Amounts are integers.");
  });

  test("index skips what is undone, and takes out what OpenCode has deleted", async () => {
    const folder = filled();
    await folder.run(["index"]);
    const host = openHostDatabase(folder);
    host.run("DELETE FROM session WHERE id = 'ses_b'");
    host.run(
      "UPDATE session SET revert = ? WHERE id = 'ses_c'",
      JSON.stringify({ messageID: "msg_ses_c_0" }),
    );
    host.run(
      "UPDATE session SET revert = ? WHERE id = 'ses_a'",
      JSON.stringify({ messageID: "msg_ses_a_1" }),
    );
    host.close();
    await folder.run(["index"]);
    expect(await found(folder, "heron")).toEqual(["ses_a"]);
    expect(await found(folder, "unrelated")).toEqual([]);
  });

  test("index leaves Pi's sessions in the index, which OpenCode doesn't have", async () => {
    const folder = filled();
    await folder.run(["index"]);
    const index = openBunDriver(toIndexPath(folder.path));
    const pi = "0199d3c0-8d2f-7c11-a3a5-3d0c2b7f9a10";
    index.run("UPDATE collection SET key = ? WHERE key = 'ses_b'", pi);
    index.close();
    const host = openHostDatabase(folder);
    host.run("DELETE FROM session WHERE id = 'ses_b'");
    host.close();
    await folder.run(["index"]);
    expect(await found(folder, "heron")).toEqual([pi, "ses_a", "ses_c"]);
  });

  test("index --here reads this folder's sessions", async () => {
    const folder = filled();
    expect((await folder.run(["index", "--here"])).out).toStartWith("Indexed 2 sessions");
    expect(await found(folder, "heron")).toEqual(["ses_a", "ses_b"]);
  });

  test("what can't be done is an error that says what to do, and makes nothing", async () => {
    const folder = folders.make();
    const path = toIndexPath(folder.path);
    const missing = await folder.run(["search", "heron"]);
    expect(missing.exitCode).toBe(4);
    expect(missing.err).toContain(`There is no search index at ${path}.`);
    expect(existsSync(path)).toBe(false);
    const nothing = await folder.run(["index"]);
    expect(nothing.exitCode).toBe(4);
    expect(nothing.err).toContain("can't be read: it does not exist");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "no database, however long it may be. ".repeat(100));
    const damaged = await folder.run(["search", "heron"]);
    expect(damaged.exitCode).toBe(1);
    expect(damaged.err).toContain(`The search index ${path} can't be read (corrupt).`);
    expect((await folder.run(["search", "?!"])).exitCode).toBe(2);
    const wordless = await folder.run(["search"]);
    expect(wordless.exitCode).toBe(2);
    expect(wordless.err).toContain("<query> is missing.");
  });

  test("a pipe in the index's place keeps nobody waiting, and is said by the command that needs the place", async () => {
    const folder = filled();
    const path = toIndexPath(folder.path);
    mkdirSync(dirname(path), { recursive: true });
    Bun.spawnSync(["mkfifo", path]);
    expect((await folder.run(["search", "heron"])).exitCode).toBe(4);
    const refused = await folder.run(["index"]);
    expect(refused.exitCode).toBe(1);
    expect(refused.err).toContain(`${path} is a pipe, and must be a file or not there.`);
    expect(refused.err).toContain(`mv ${path} ${path}.away`);
  });

  test("without commits and vectors it finds what was said", async () => {
    const folder = filled();
    await folder.run(["index"]);
    const url = "http://127.0.0.1:1/v1";
    const settings = join(folder.home, ".config/opencode/session-runtime.json");
    mkdirSync(dirname(settings), { recursive: true });
    writeFileSync(settings, JSON.stringify({ vectors: { url, model: "m" } }));
    expect(await found(folder, "heron")).toEqual(["ses_a", "ses_b", "ses_c"]);
  });
});
