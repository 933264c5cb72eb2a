import { expect, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";

const MODULE = join(import.meta.dir, "../../../scripts/memory-folder.mjs");
/** Says the folder, and what stands there once something was put into it. */
const SCRIPT = `
  import { existsSync, writeFileSync } from "node:fs";
  const { memoryFolder } = await import(${JSON.stringify(MODULE)});
  const folder = memoryFolder();
  if (folder !== null) writeFileSync(folder + "/left.txt", "left");
  console.log(JSON.stringify({ folder, isThere: folder !== null && existsSync(folder) }));
`;

test("what tests throw away has a folder that is gone with the run, and takes that of a killed run along", () => {
  const abandoned = "/dev/shm/srt-999999999";
  const hasMemory = existsSync(dirname(abandoned));
  if (hasMemory) mkdirSync(join(abandoned, "deep"), { recursive: true });
  const { stdout, stderr } = Bun.spawnSync(["node", "--input-type=module", "-e", SCRIPT]);
  expect(stderr.toString()).toBe("");
  const { folder, isThere } = JSON.parse(stdout.toString());
  expect(isThere).toBe(folder !== null);
  expect(existsSync(abandoned)).toBe(false);
  if (folder !== null) expect(existsSync(folder)).toBe(false);
  if (!hasMemory) expect(folder).toBeNull();
});
