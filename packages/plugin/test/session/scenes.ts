import { afterAll, afterEach, expect } from "bun:test";
import type { Call } from "../model/call.ts";
import type { Setting } from "../model/host-process.ts";
import { plainSetting, type Scene, Stage } from "../model/run.ts";
import type { CallOptions } from "../model/steps.ts";

/** Hosts of one test file. Every call of every test is held against the invariants too. */
export class Scenes {
  readonly stage = new Stage();
  #open: Scene[] = [];

  constructor() {
    afterEach(() => {
      const scenes = this.#open;
      this.#open = [];
      for (const scene of scenes) scene.close();
      expect(scenes.flatMap(({ violations }) => violations)).toEqual([]);
    });
    afterAll(() => this.stage.dispose());
  }

  open(setting: Partial<Setting> = {}): Scene {
    const scene = this.stage.open({ ...plainSetting, ...setting });
    this.#open.push(scene);
    return scene;
  }
}

/** A call that must have gone out. */
export function sent(call: Call | null): Call {
  if (!call) throw new Error("expected a model call");
  return call;
}

export function texts({ blocks }: Call): readonly string[] {
  return blocks.map(({ text }) => text);
}

/** What a call sends behind all that the former one sent; fails where that is no prefix. */
export function added(former: Call, call: Call): readonly string[] {
  const before = texts(former);
  expect(texts(call).slice(0, before.length)).toEqual([...before]);
  return texts(call).slice(before.length);
}

export function update(...parts: readonly string[]): string {
  return `<system-update>\n${parts.join("\n\n")}\n</system-update>`;
}

export function tools(...outcomes: readonly CallOptions["outcome"][]): Partial<CallOptions>[] {
  return outcomes.map((outcome) => ({ outcome }));
}

/** The part of a Baseline that tells instructions. */
export function instructions(path: string, content: string): string {
  return `Instructions from: ${path}\n${content}`;
}
