import { afterAll, expect, test } from "bun:test";
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileCache } from "@session-runtime/opencode/sources/file-cache";
import { InstructionDiscovery } from "@session-runtime/opencode/sources/instruction-discovery";
import { agentFolder, filesWanted, findWorktree, piScope } from "../src/instructions.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "pi-instructions-")));
afterAll(() => rmSync(folder, { recursive: true }));

const createScope = (directory: string, words: readonly string[] = []) =>
  piScope({
    directory,
    worktree: directory,
    agentFolder: join(folder, "none"),
    files: filesWanted(words),
  });

test("Pi's files are found: the agent's, then one of each folder downward, as they stand now", async () => {
  const [agent, project] = [join(folder, "agent"), join(folder, "project")];
  const directory = join(project, "inner");
  for (const path of [agent, join(project, ".git"), directory])
    mkdirSync(path, { recursive: true });
  writeFileSync(join(agent, "AGENTS.md"), "Mine.");
  writeFileSync(join(project, "CLAUDE.md"), "Project.");
  writeFileSync(join(directory, "CLAUDE.md"), "Second.");
  writeFileSync(join(directory, "AGENTS.md"), "Inner.");
  const { worktree } = findWorktree(directory);
  expect(worktree).toBe(project);
  const scope = piScope({ directory, worktree, agentFolder: agent, files: "all" });
  const search = new InstructionDiscovery(scope, new FileCache());
  const contents = async () => {
    const found = await search.find();
    return Array.isArray(found) ? found.map(({ content }) => content) : found;
  };
  expect(await contents()).toEqual(["Mine.", "Project.", "Inner."]);
  writeFileSync(join(directory, "AGENTS.override.md"), "Instead.");
  expect(await contents()).toEqual(["Mine.", "Project.", "Instead."]);
});

test("a folder that has long been the same is not searched again, and one that changes is", () => {
  const quiet = join(folder, "quiet");
  mkdirSync(quiet);
  const scope = createScope(quiet);
  const inIt = () => scope.configured().filter((path) => path.startsWith(quiet));
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(quiet, longAgo, longAgo);
  expect(inIt()).toEqual([]);
  // Nothing but the folder's own time says that there is a file: as long as that stands, none is looked for.
  writeFileSync(join(quiet, "AGENTS.md"), "New.");
  utimesSync(quiet, longAgo, longAgo);
  expect(inIt()).toEqual([]);
  utimesSync(quiet, new Date(), new Date());
  expect(inIt()).toEqual([join(quiet, "AGENTS.md")]);
});

test("D3: a name that can't be looked at is the folder's file; one that leads nowhere is none", () => {
  const links = join(folder, "links");
  mkdirSync(links);
  symlinkSync("nowhere", join(links, "AGENTS.override.md"));
  symlinkSync("AGENTS.md", join(links, "AGENTS.md"));
  writeFileSync(join(links, "CLAUDE.md"), "Later.");
  const inIt = createScope(links).configured();
  expect(inIt.filter((path) => path.startsWith(links))).toEqual([join(links, "AGENTS.md")]);
});

test("D6: where Pi was started without such files, none is looked for", () => {
  const one = join(folder, "one");
  mkdirSync(one);
  writeFileSync(join(one, "AGENTS.md"), "Here.");
  expect(createScope(one, ["pi", "-p"]).configured()).toContain(join(one, "AGENTS.md"));
  for (const word of ["--no-context-files", "-nc"]) {
    expect(createScope(one, ["pi", word]).configured()).toEqual([]);
  }
});

test("a folder without a repository has the root as its worktree", () => {
  expect(findWorktree("/")).toEqual({ worktree: "/", vcs: null });
});

test("the agent's folder is the one that the environment names", () => {
  expect(agentFolder({ PI_CODING_AGENT_DIR: "/agent" })).toBe("/agent");
  expect(agentFolder({})).toEndWith("/.pi/agent");
});
