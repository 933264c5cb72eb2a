import { mkdirSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const NAME = "session-runtime-cli-of-";

let made: string | undefined;

/**
 * A folder for all that the tests of this process make. A test process gets no word of its end, so
 * the next one removes what those before it have left.
 */
export function processFolder(): string {
  if (made === undefined) {
    for (const name of readdirSync(tmpdir())) {
      if (!name.startsWith(NAME) || isAlive(Number(name.slice(NAME.length)))) continue;
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    }
    made = join(realpathSync(tmpdir()), `${NAME}${process.pid}`);
    mkdirSync(made, { recursive: true });
  }
  return made;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
