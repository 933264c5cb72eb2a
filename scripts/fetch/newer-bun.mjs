// The Bun of the npm registry: newer than the host's, and it has node:sqlite.
import { fetchedFile } from "./package-cache.mjs";
import { isMusl, needsBaseline } from "./platform.mjs";

const VERSION = "1.4.5";
const INTEGRITY = {
  "@oven/bun-linux-x64":
    "sha512-IWX9BELoGHAUtMonkeSaNaZwXzRk+oDw6Mk+HBFXd3KHYIBNBsIGRupMZPcgNoDbJpLu6gAJjIoIVPZtt1aJ1g==",
};

/** Path of the binary, fetched if it is not there. */
export function newerBun() {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const machine = process.arch === "arm64" ? "aarch64" : process.arch;
  const variant = `${isMusl() ? "-musl" : ""}${needsBaseline() ? "-baseline" : ""}`;
  const name = `@oven/bun-${platform}-${machine}${variant}`;
  return fetchedFile({
    name,
    version: VERSION,
    file: `bin/${process.platform === "win32" ? "bun.exe" : "bun"}`,
    title: "Bun",
    megabytes: 52,
    integrity: INTEGRITY[name],
  });
}
