// Reads the script of the timeline's page, as it was bundled for browsers.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CliError } from "../cli-error.ts";

/** Names the file that scripts/build-cli.mjs writes beside the bundle. */
const FILE = "timeline-page.js";

/** Returns the page's script with its chart library, which is bundled for the browser together with this package. */
export function pageScript(): string {
  const path = join(dirname(fileURLToPath(import.meta.url)), FILE);
  if (existsSync(path)) return readFileSync(path, "utf8");
  throw new CliError(
    "page-script-missing",
    `A file of this package is missing: ${path}.`,
    "Reinstall session-runtime.",
  );
}
