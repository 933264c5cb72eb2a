import { afterAll, describe, expect, test } from "bun:test";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import type { Host } from "../model/host.ts";
import { plainSetting, type Scene, Stage } from "../model/run.ts";
import { sent, texts } from "./scenes.ts";

const stage = new Stage();
afterAll(() => stage.dispose());

/** All invariants hold but that nothing of the model's world is a cause, and that a text is gone. */
async function inScene(play: (host: Host) => Promise<void>): Promise<void> {
  const scene: Scene = stage.open(plainSetting);
  await play(scene.host);
  scene.close();
  const others = scene.violations.filter(
    ({ what }) => what !== "an epoch began without a cause" && !what.startsWith("gone from the"),
  );
  expect(others).toEqual([]);
}

/** As a failing disk does it, while the process is away. */
function damage(host: Host, sql: string): void {
  host.restart();
  const driver = openBunDriver(host.process.path);
  driver.exec("PRAGMA ignore_check_constraints = ON");
  driver.exec("DROP TRIGGER epoch_is_never_updated; DROP TRIGGER entry_is_never_updated");
  driver.exec(sql);
  driver.close();
}

const BASELINE = "UPDATE epoch SET baseline = replace(baseline, 'Rule', 'Mule')";
const UPDATE = "UPDATE entry SET edit = replace(edit, 'Rule', 'Mule')";
const UNREADABLE = "UPDATE epoch SET snapshot = '{\"x\":1}'";
const flips = [
  ["a Baseline", BASELINE],
  ["an update", UPDATE],
  ["a Snapshot that no codec reads", UNREADABLE],
] as const;

describe("K3: a text that was damaged on the disk", () => {
  for (const [what, sql] of flips) {
    test(`is not sent: with ${what} a new epoch begins at the next call, and the user reads of it once`, () =>
      inScene(async (host) => {
        await host.prompt(0);
        host.change({ of: "file", place: "app", state: 2 });
        expect(sent(await host.prompt(0)).updates).toHaveLength(1);
        damage(host, sql);
        const call = sent(await host.prompt(0));
        expect(call.opened?.cause).toBe(sql === UPDATE ? "replaced" : "first");
        expect(call.live).toBe(false);
        expect([...call.system, ...texts(call)].join()).not.toContain("Mule");
        expect(call.system.join()).toContain("Rule 2");
        expect(host.process.damaged).toHaveLength(1);

        const next = sent(await host.prompt(0));
        expect(next.opened).toBeNull();
        expect(next.system).toEqual(call.system);
        host.restart();
        const later = sent(await host.prompt(0));
        expect([later.opened, later.system]).toEqual([null, call.system]);
        expect(host.process.damaged).toHaveLength(1);
        expect(host.process.failures).toEqual([]);
      }));
  }

  test("that an undo would bring back is not sent either: another epoch begins", () =>
    inScene(async (host) => {
      await host.prompt(0);
      await host.prompt(0);
      await host.compact(0);
      expect(sent(await host.prompt(0)).opened?.cause).toBe("compacted");
      damage(host, `${BASELINE} WHERE seq = 1`);
      expect(sent(await host.prompt(0)).opened).toBeNull();
      expect(host.process.damaged).toEqual([]);
      host.undo(0, 3);
      const call = sent(await host.prompt(0));
      expect(call.system.join()).not.toContain("Mule");
      expect(call.live).toBe(false);
    }));
});
