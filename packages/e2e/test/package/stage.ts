import { afterAll, beforeAll, setDefaultTimeout } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PackResult, packAll } from "../../../../scripts/pack.mjs";

const TIMEOUT_MS = 600_000;

/** All packages as they would be published, and a folder for the calling file's own use. */
export interface PackedStage {
  readonly folder: string;
  readonly plugin: PackResult;
  readonly cli: PackResult;
  readonly pi: PackResult;
}

/** What `npm test` has packed for all of its suites, in the folder that PACKED names; nobody writes to it. */
function packedBefore(): Omit<PackedStage, "folder"> | null {
  const list = join(process.env.PACKED ?? "", "packed.json");
  return process.env.PACKED && existsSync(list) ? JSON.parse(readFileSync(list, "utf8")) : null;
}

/** Registers the hooks that pack for the calling test file, and clean up after it. */
export function usePackages(): PackedStage {
  setDefaultTimeout(TIMEOUT_MS);
  let packed: PackedStage | undefined;
  const stage = () => {
    if (!packed) throw new Error("The packages are packed before the first test");
    return packed;
  };
  beforeAll(async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "session-runtime-pack-")));
    packed = { folder, ...(packedBefore() ?? (await packAll(folder))) };
  }, TIMEOUT_MS);
  afterAll(() => packed && rmSync(packed.folder, { recursive: true, force: true }));
  return {
    get folder() {
      return stage().folder;
    },
    get plugin() {
      return stage().plugin;
    },
    get cli() {
      return stage().cli;
    },
    get pi() {
      return stage().pi;
    },
  };
}
