import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileCache } from "../../plugin/src/sources/file-cache.ts";
import { InstructionDiscovery } from "../../plugin/src/sources/instruction-discovery.ts";
import { agentFolder, piScope, worktreeOf } from "../src/instructions.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "pi-instructions-")));
afterAll(() => rmSync(folder, { recursive: true }));

test("Pi's files are found: the agent's, then one of each folder downward, as they stand now", async () => {
  const [agent, project] = [join(folder, "agent"), join(folder, "project")];
  const directory = join(project, "inner");
  for (const path of [agent, join(project, ".git"), directory])
    mkdirSync(path, { recursive: true });
  writeFileSync(join(agent, "AGENTS.md"), "Mine.");
  writeFileSync(join(project, "CLAUDE.md"), "Project.");
  writeFileSync(join(directory, "CLAUDE.md"), "Second.");
  writeFileSync(join(directory, "AGENTS.md"), "Inner.");
  const { worktree } = worktreeOf(directory);
  expect(worktree).toBe(project);
  const scope = piScope({ directory, worktree, agentFolder: agent });
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
  const scope = piScope({ directory: quiet, worktree: quiet, agentFolder: join(folder, "none") });
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

test("a folder without a repository has the root as its worktree", () => {
  expect(worktreeOf("/")).toEqual({ worktree: "/", vcs: null });
});

test("the agent's folder is the one that the environment names", () => {
  expect(agentFolder({ PI_CODING_AGENT_DIR: "/agent" })).toBe("/agent");
  expect(agentFolder({})).toEndWith("/.pi/agent");
});
