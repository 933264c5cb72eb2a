// One declaration file for each entry of a package.
import { basename, extname, join } from "node:path";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import { root } from "../install.mjs";

/** One declaration file for each entry, with what it shows of our own types and nothing else. */
export async function bundleTypes({ cwd, entries, outdir, external }) {
  const named = entries.map((entry) => [basename(entry, extname(entry)), join(cwd, entry)]);
  const bundled = await rollup({
    input: Object.fromEntries(named),
    external: external.map((name) => new RegExp(`^${name}(/|$)`)),
    plugins: [dts({ tsconfig: join(root, "tsconfig.json") })],
    onwarn: ({ code, message }) => {
      // An import that is left to the user must be meant; all else would be a hole in the types.
      throw new Error(`The declarations could not be bundled: ${message} (${code}).`);
    },
  });
  await bundled.write({ dir: outdir, entryFileNames: "[name].d.ts" });
  await bundled.close();
}
