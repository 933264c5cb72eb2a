// OpenCode's binary, of the version that this clone is tested with or of another.
import { fetchedFile } from "./package-cache.mjs";
import { isMusl, needsBaseline } from "./platform.mjs";

/** The version that everything is tested with; the test bench's `@opencode-ai/sdk` is of the same. */
export const PINNED_OPENCODE = "1.18.33";

/** Of the pinned version, npm's digests by package, where they have been seen. */
const INTEGRITY = {
  "opencode-linux-x64":
    "sha512-q/t/3p2CTxOT9y2kvjesb/LZab2+1eqlhhWA02Be6mjTtmYtNBcBsrI5yDo4Fw7ZSPBW2oyMIGMNRqiKQjiAWw==",
  "opencode-linux-x64-baseline":
    "sha512-1KQGBiiDDeL/VHHbHkOvvFo8Jr97WT5+C1tear+p7IcDTnXgVHXqIjU4O4jM4mHQzykTP2i884FCnW5LDa+zCA==",
};

/** The platform's package, as OpenCode's own names it. */
export function opencodePackage() {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const variant = `${needsBaseline() ? "-baseline" : ""}${isMusl() ? "-musl" : ""}`;
  return `opencode-${platform}-${process.arch}${variant}`;
}

/** Path of the binary of a version, fetched if it is not there. */
export function opencodeBinary(version) {
  const name = opencodePackage();
  return fetchedFile({
    name,
    version,
    file: `bin/${process.platform === "win32" ? "opencode.exe" : "opencode"}`,
    title: "OpenCode",
    megabytes: 60,
    integrity: version === PINNED_OPENCODE ? INTEGRITY[name] : undefined,
  });
}
