import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
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

test("a folder without a repository has the root as its worktree", () => {
  expect(worktreeOf("/")).toEqual({ worktree: "/", vcs: null });
});

test("the agent's folder is the one that the environment names", () => {
  expect(agentFolder({ PI_CODING_AGENT_DIR: "/agent" })).toBe("/agent");
  expect(agentFolder({})).toEndWith("/.pi/agent");
});
