// Makes Bun load the files with mutants in the place of the sources.
import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";

/** What the instrumented files look at: Stryker's name for it is a part of their text. */
interface Switchboard {
  mutantCoverage?: {
    static: Record<string, number>;
    perTest: Record<string, Record<string, number>>;
  };
  currentTestId?: string;
  activeMutant?: string | undefined;
  hitCount?: number;
  hitLimit?: number;
}

const shared = globalThis as { __stryker__?: Switchboard };
shared.__stryker__ ??= {};

export const switchboard: Switchboard = shared.__stryker__;

/** From now on the sources come with their mutants. */
export function loadMutants(): void {
  const { MUTATION_SOURCES, MUTATION_FOLDER, MUTATION_FILE } = process.env;
  if (MUTATION_SOURCES === undefined || MUTATION_FOLDER === undefined) return;
  const sources = realpathSync(MUTATION_SOURCES);
  const files = MUTATION_FILE === undefined ? filesBelow(MUTATION_FOLDER) : [MUTATION_FILE];
  // Others are left to Bun: of an import that fails in a file of ours it makes another error.
  const literals = files.map((file) => literal(join(sources, file)));
  Bun.plugin({
    name: "mutants",
    setup(build) {
      build.onLoad(
        { filter: new RegExp(`^(?:${literals.join("|")})$`), namespace: "file" },
        ({ path }) => {
          const contents = readFileSync(join(MUTATION_FOLDER, relative(sources, path)), "utf8");
          return { contents, loader: "ts" };
        },
      );
    },
  });
}

/** From now on what is below this folder registers its tests with us, not with `bun:test`. */
export function registerTestsHere(folder: string): void {
  const tests = realpathSync(folder);
  const registry = join(import.meta.dir, "test-registry.ts");
  Bun.plugin({
    name: "tests",
    setup(build) {
      build.onLoad({ filter: new RegExp(`^${literal(tests)}/.*\\.ts$`) }, ({ path }) => {
        const contents = readFileSync(path, "utf8").replaceAll(
          /^(.*\bfrom) "bun:test";$/gm,
          `$1 ${JSON.stringify(registry)};`,
        );
        return { contents, loader: "ts" };
      });
    },
  });
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
}
