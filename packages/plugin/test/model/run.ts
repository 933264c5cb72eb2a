import type { Call } from "./call.ts";
import { Checker, type Violation } from "./checker.ts";
import { Host } from "./host.ts";
import { Databases, type Setting } from "./host-process.ts";
import type { Step } from "./steps.ts";
import { World } from "./world.ts";

export const plainSetting: Setting = {
  onModelSwitch: "keep",
  hostPrune: "off",
  history: "nothing",
  loadOrder: 0,
  configured: [],
};

export interface Schedule {
  readonly setting: Setting;
  readonly steps: readonly Step[];
}

export interface Run {
  readonly calls: readonly Call[];
  readonly violations: readonly Violation[];
}

/** Between any two steps some time goes by. */
const PAUSE_MS = 1000;

/** One world on disk, for any number of hosts one after the other. */
export class Stage {
  readonly world = new World();
  readonly #databases = new Databases(this.world.root);

  /** The world as it begins, a fresh database, and a host that has done nothing yet. */
  open(setting: Setting = plainSetting): Scene {
    this.world.reset();
    const path = this.#databases.fresh();
    const checker = new Checker(setting);
    const calls: Call[] = [];
    const host = new Host(this.world, path, setting, {
      sent: (call, stored) => {
        calls.push(call);
        checker.sent(call, stored);
      },
      unrecorded: (sessionId, lastMessageId) => checker.unrecorded(sessionId, lastMessageId),
      compacting: (id, array, projected) => checker.compacting(id, array, projected),
      touched: (what) => checker.touched(what),
    });
    const close = () => {
      host.close();
      this.#databases.discard(path);
    };
    return { host, path, calls, violations: checker.violations, close };
  }

  /** A step for which `holds` says no is passed over. */
  async run(
    { setting, steps }: Schedule,
    holds: (step: Step, sofar: Run) => boolean = () => true,
  ): Promise<Run> {
    const scene = this.open(setting);
    try {
      for (const step of steps) {
        await perform(scene.host, holds(step, scene) ? step : { do: "wait", ms: 0 });
      }
      return scene;
    } finally {
      scene.close();
    }
  }

  dispose(): void {
    this.world.dispose();
  }
}

export interface Scene extends Run {
  readonly violations: Violation[];
  readonly host: Host;
  readonly path: string;
  readonly close: () => void;
}

async function perform(host: Host, step: Step): Promise<void> {
  host.world.nowMs += PAUSE_MS;
  switch (step.do) {
    case "prompt":
      await host.prompt(step.slot, step);
      return;
    case "go on":
      await host.goOn(step.slot, step.call);
      return;
    case "compact":
      await host.compact(step.slot, step);
      return;
    case "change":
      return host.change(step.change);
    case "wait":
      host.world.nowMs += step.ms;
      return;
    case "restart":
      return host.restart();
    case "other process":
      return host.useOtherProcess();
    case "undo":
      return host.undo(step.slot, step.prompts);
    case "move":
      return host.move(step.slot);
    case "fork":
      return host.fork(step.slot);
    case "delete":
      return host.delete(step.slot);
    case "prune":
      return host.prune(step.slot);
    case "propose":
      return host.propose(step.slot, step);
  }
}
