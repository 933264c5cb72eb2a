// Which of a program's builds runs on this machine.
import { existsSync, readFileSync } from "node:fs";

/** A Linux whose C library is musl needs builds of its own. */
export function isMusl() {
  if (process.platform !== "linux") return false;
  return ["x86_64", "aarch64"].some((name) => existsSync(`/lib/ld-musl-${name}.so.1`));
}

/** An x64 processor without AVX2 needs the builds called baseline. */
export function needsBaseline() {
  if (process.arch !== "x64" || process.platform !== "linux") return false;
  return !/\bavx2\b/.test(readFileSync("/proc/cpuinfo", "utf8"));
}
