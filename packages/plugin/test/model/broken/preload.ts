import { readFileSync } from "node:fs";
import { resolve } from "node:path";

/**
 * A preload that breaks one source file on purpose, as it is loaded. `BREAK` is the JSON of
 * `[file, find, put]`, the file relative to the plugin's `src`.
 */
const source = resolve(import.meta.dir, "../../../src");
const [file = "", find = "", put = ""]: readonly string[] = JSON.parse(process.env.BREAK ?? "[]");

Bun.plugin({
  name: "break",
  setup(build) {
    if (file === "") return;
    // Of that file alone: whatever comes by here is read and handed over in JavaScript.
    const filter = new RegExp(`/${RegExp.escape(file)}$`);
    build.onLoad({ filter, namespace: "file" }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const isBroken = path === resolve(source, file);
      return { contents: isBroken ? text.replace(find, () => put) : text, loader: "ts" };
    });
  },
});
