import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);

/** Path of the real host's binary; npm lays its platform package beside `opencode-ai`. */
export function hostBinary() {
  if (process.env.OPENCODE_BIN) return process.env.OPENCODE_BIN;
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const file = process.platform === "win32" ? "opencode.exe" : "opencode";
  for (const variant of ["", "-musl", "-baseline", "-baseline-musl"]) {
    try {
      const manifest = require.resolve(
        `opencode-${platform}-${process.arch}${variant}/package.json`,
      );
      const binary = join(dirname(manifest), "bin", file);
      if (existsSync(binary)) return binary;
    } catch (error) {
      if (error.code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  throw new Error("The host's binary is not installed: run `npm install`, or set OPENCODE_BIN.");
}
