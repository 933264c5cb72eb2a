// Runs Bun's bundler for bundle.mjs; what to bundle is its argument, as JSON. It needs Bun, whose command line has
// no plugins.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const order = JSON.parse(process.argv[2]);

/** A dynamic import of a module of ours, as the sources write it. */
const LAZY_IMPORT = /\bimport\("((?:\.|@session-runtime\/)[^"]+)"\)/g;

/** The modules that some source of the repository loads later; absolute paths. */
function listLazyModules() {
  const cwd = join(import.meta.dir, "../../packages");
  const sources = [...new Bun.Glob("*/src/**/*.{ts,tsx}").scanSync({ cwd, absolute: true })];
  return new Set(
    sources.flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(LAZY_IMPORT)].map(([, name]) =>
        Bun.resolveSync(name, dirname(path)),
      ),
    ),
  );
}

/**
 * Lets each module that loads later import the start module, which has loaded by then. The bundler puts into one
 * file what the same entries and lazy modules need; so the start is one file instead of some thirty, each of
 * which costs the host time.
 */
function gatherStart(startModule) {
  const lazy = listLazyModules();
  lazy.delete(startModule);
  return {
    name: "gather-start",
    setup(build) {
      build.onLoad({ filter: /\.tsx?$/ }, ({ path, loader }) => {
        if (!lazy.has(path)) return undefined;
        const text = readFileSync(path, "utf8");
        return { contents: `${text}\nimport ${JSON.stringify(startModule)};\n`, loader };
      });
    },
  };
}

/** Takes the modules of packages that have both kinds: no bundler follows the inner requires of UMD. */
const preferModules = {
  name: "prefer-modules",
  setup(build) {
    build.onResolve({ filter: /^jsonc-parser$/ }, ({ path, importer }) => {
      const manifest = Bun.resolveSync(`${path}/package.json`, dirname(importer));
      return { path: join(dirname(manifest), JSON.parse(readFileSync(manifest, "utf8")).module) };
    });
  },
};

const { success, logs, metafile } = await Bun.build({
  entrypoints: order.entries.map((entry) => resolve(order.cwd, entry)),
  outdir: order.outdir,
  target: order.target,
  splitting: true,
  metafile: true,
  minify: { whitespace: true, syntax: true, identifiers: false },
  naming: { entry: order.entryNaming, chunk: "[name]-[hash].[ext]" },
  external: order.external,
  plugins: [
    preferModules,
    ...(order.startModule ? [gatherStart(resolve(order.cwd, order.startModule))] : []),
  ],
});
for (const log of logs) console.error(log);
if (!success) process.exit(1);
writeFileSync(order.graphFile, JSON.stringify(metafile));
