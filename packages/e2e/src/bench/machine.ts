// The machine that the figures were taken on.
import { cpus, loadavg, totalmem } from "node:os";

/** What the figures were taken on; the load says how much else was running when the run began. */
export function describeMachine(): string {
  const processors = cpus();
  const memory = `${(totalmem() / 2 ** 30).toFixed(1)} GiB`;
  const load = (loadavg()[0] ?? 0).toFixed(1);
  return [
    `${processors.length} cores (${processors[0]?.model.trim() ?? "unknown"})`,
    `${memory} of memory`,
    `${process.platform} ${process.arch}`,
    `Bun ${Bun.version} of the host`,
    `load ${load} when it began`,
  ].join(", ");
}
