// Keeps the host able to find the imports that it shares with plugins.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Writes `from "x"` for `from"x"` where x is a package that the host shares with its plugins. The host
 * (OpenTUI 0.4.5, runtime-plugin) finds these imports by a pattern that wants the space, and hands out
 * its own copies in their place; without it a minified terminal UI plugin does not load.
 */
export function spaceHostImports(folder, hosts) {
  const minified = new RegExp(`\\bfrom"(?=(?:${hosts.join("|")})(?:/[^"]*)?")`, "g");
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".js"))) {
    const file = join(folder, name);
    const text = readFileSync(file, "utf8");
    const spaced = text.replace(minified, 'from "');
    if (spaced !== text) writeFileSync(file, spaced);
  }
}
