import { expect, test } from "bun:test";
import { GitFailure } from "@session-runtime/opencode/project/ask-git";
import { toCommitId, toFolderId } from "@session-runtime/opencode/project/project";
import { findProjects } from "../../src/search/project-ids.ts";
import { skippedText, withoutSilent } from "../../src/search/silent-folders.ts";
import { systemRefusal } from "../../src/system-error.ts";

const [silent, plain, gone] = [import.meta.dir, process.cwd(), "/gone/tree"];
const sessions = [silent, plain, silent, gone].map((directory) => ({
  directory,
  repository: directory === gone ? "abc" : null,
}));

async function ask(directory: string) {
  if (directory === silent) throw new GitFailure(directory, "rev-parse");
  return toFolderId(directory);
}

test("a folder in which git gives no answer is asked once, and the others have their projects", async () => {
  const asked: string[] = [];
  const projects = await findProjects(sessions, (directory) => {
    asked.push(directory);
    return ask(directory);
  });
  expect(asked).toEqual([silent, plain]);
  const { wanted, skipped } = withoutSilent(sessions, projects);
  expect(wanted.map(({ project }) => project)).toEqual([toFolderId(plain), toCommitId("abc")]);
  expect(skipped).toEqual([{ directory: silent, sessions: 2 }]);
  expect(skippedText(skipped)).toContain(`Left out 2 sessions: git gave no answer in ${silent}.`);
});

test("any other failure ends the look at folders", async () => {
  const failing = findProjects(sessions, () => Promise.reject(new Error("broken")));
  expect(await failing.catch(String)).toBe("Error: broken");
});

test("where one folder is all that is asked for, git's silence says what to look at", () => {
  expect(systemRefusal(new GitFailure("/a b", "rev-parse"))).toMatchObject({
    code: "git-silent",
    message: "git gave no answer in /a b.",
    advice:
      "Find out what it waits for, such as a drive that hangs or a lock: git -C '/a b' status",
  });
});
