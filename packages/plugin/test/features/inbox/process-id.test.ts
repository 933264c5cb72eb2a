import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { createOwnerId, isProcessDead, isRunning } from "../../../src/features/inbox/process-id.ts";
import { eventually } from "../../eventually.ts";

test("a process is there until it ends", async () => {
  const child = Bun.spawn(["sleep", "60"]);
  expect(isRunning(child.pid)).toBe(true);
  child.kill("SIGKILL");
  await child.exited;
  expect(isRunning(child.pid)).toBe(false);
});

test.skipIf(!existsSync("/proc/self/stat"))(
  "G6: one that has ended and was never asked how is gone, as after a kill in tmux or in a container",
  async () => {
    // The shell becomes a program that never asks about the child that it began, and the child ends only then: a
    // shell that is still there would ask.
    const script =
      '(until grep -q sleep "/proc/$$/comm"; do sleep 0.01; done) & echo $!; exec sleep 60';
    const parent = Bun.spawn(["sh", "-c", script], { stdout: "pipe" });
    const { value } = await parent.stdout.getReader().read();
    const pid = Number(new TextDecoder().decode(value));
    try {
      await eventually("it has ended", () => !isRunning(pid));
      // Still listed: a signal reaches it.
      expect(process.kill(pid, 0)).toBe(true);
      expect(isRunning(pid)).toBe(false);
    } finally {
      parent.kill("SIGKILL");
      await parent.exited;
    }
  },
);

test.skipIf(!existsSync("/proc/self/stat"))(
  "G6: another process under the number of one that has ended is not its owner",
  () => {
    const own = createOwnerId();
    expect(isProcessDead(own)).toBe(false);
    const began = own.split("/").at(-1) ?? "";
    expect(Number(began)).toBeGreaterThan(0);
    const earlier = `${own.slice(0, -began.length)}${Number(began) - 100}`;
    expect(isProcessDead(earlier)).toBe(true);
    // As versions before this one, and other systems, name themselves.
    expect(isProcessDead(own.slice(0, -began.length - 1))).toBe(false);
    expect(isProcessDead(own.slice(0, -began.length))).toBe(false);
  },
);
