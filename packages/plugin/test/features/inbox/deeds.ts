import { expect } from "bun:test";
import fc from "fast-check";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import { session } from "../../storage/records.ts";
import type { Workspace } from "../../storage/workspace.ts";
import { FakeClock, quiet } from "./fake-clock.ts";
import { FakeHost } from "./fake-host.ts";
import { openStage, type Stage, type StageSettings, type Witness } from "./stage.ts";

/** What a user does, one after the other, while turns run, hang and fail. */
export type Deed =
  | { readonly kind: "queue"; readonly name: string }
  | { readonly kind: "prompt"; readonly name: string }
  | { readonly kind: "retry"; readonly name: string }
  | { readonly kind: "release"; readonly answer: "stop" | "fail" | "abort" }
  | { readonly kind: "resume" }
  | { readonly kind: "interrupt" }
  /** The session is looked at, and what comes next comes during the look. */
  | { readonly kind: "wake" }
  | { readonly kind: "wait"; readonly ms: number }
  /** A prompt of two parts that the host is killed at when it has saved so many, and a new process. */
  | { readonly kind: "torn"; readonly savedParts: 0 | 1 }
  /** kill -9, and a new process on the same data. */
  | { readonly kind: "kill" };

const name = fc.constantFrom("a", "b", "c", "d");
export const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ kind: fc.constant("queue" as const), name }),
  fc.record({ kind: fc.constant("prompt" as const), name }),
  fc.record({ kind: fc.constant("retry" as const), name }),
  fc.record({
    kind: fc.constant("release" as const),
    answer: fc.constantFrom("stop" as const, "fail" as const, "abort" as const),
  }),
  fc.record({ kind: fc.constant("resume" as const) }),
  fc.record({ kind: fc.constant("interrupt" as const) }),
  fc.record({ kind: fc.constant("wake" as const) }),
  fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(0, 30, 60, 3_000) }),
  fc.record({
    kind: fc.constant("torn" as const),
    savedParts: fc.constantFrom(0 as const, 1 as const),
  }),
  fc.record({ kind: fc.constant("kill" as const) }),
);

export interface World {
  readonly workspace: Workspace;
  /** One for the first process and for each that follows. */
  readonly newWitness: () => Witness | undefined;
  readonly path: string;
  readonly host: FakeHost;
  readonly clock: FakeClock;
  stage: Stage;
  /** Texts of prompts whose admission was confirmed. */
  readonly admitted: Set<string>;
  /** Those of the queue, in the order of their admission. */
  readonly queued: string[];
}

export function start(
  workspace: Workspace,
  settings: Pick<Partial<StageSettings>, "openDriver"> = {},
  newWitness: (host: FakeHost) => Witness | undefined = () => undefined,
): World {
  const path = workspace.path();
  const host = new FakeHost(session);
  const clock = new FakeClock();
  const seen = { newWitness: () => newWitness(host) };
  const stage = openStage(workspace, { path, host, clock, ...settings, ...witnessed(seen) });
  return { workspace, ...seen, path, host, clock, stage, admitted: new Set(), queued: [] };
}

function witnessed({
  newWitness,
}: Pick<World, "newWitness">): Pick<Partial<StageSettings>, "witness"> {
  const witness = newWitness();
  return witness ? { witness } : {};
}

/** The process is gone; another one opens the same data. */
export function restart(world: World): void {
  world.host.kill();
  world.clock.stop();
  world.stage.close();
  const deps = { recovery: "auto", isProcessDead: () => true } as const;
  world.stage = openStage(world.workspace, {
    path: world.path,
    host: world.host,
    clock: world.clock,
    ...witnessed(world),
    deps,
  });
}

export async function perform(world: World, one: Deed, index: number): Promise<void> {
  const { host, stage, clock } = world;
  switch (one.kind) {
    case "queue": {
      const text = `queued ${index}`;
      const parts = [{ type: "text", text }];
      const own = {
        sessionId: session,
        id: null,
        parts,
        delivery: "queue",
        reply: "wanted",
      } as const;
      await stage.inbox.admit(own);
      world.admitted.add(text);
      world.queued.push(text);
      return;
    }
    case "prompt":
    case "retry": {
      const text = `prompt ${one.name}`;
      await host.prompt({ id: `msg_${one.name}`, text });
      world.admitted.add(text);
      return;
    }
    case "release":
      host.release(one.answer);
      await quiet();
      return;
    case "resume":
      await stage.inbox.resume(session);
      return;
    case "wake":
      stage.inbox.onSettled(session);
      return;
    case "interrupt": {
      // A host that is killed meanwhile answers nobody.
      const stopped = stage.inbox.interrupt(session).catch(() => "killed");
      await clock.pass(100);
      // A look that waits for the host ends without it.
      await Promise.race([stopped, clock.pass(20_000)]);
      return;
    }
    case "wait":
      await clock.pass(one.ms);
      return;
    case "torn": {
      // The inbox may be sending another one at this moment.
      host.tearText = `torn ${index}`;
      host.tearAfterParts = one.savedParts;
      const parts = [`torn ${index}`, "whole"].map((text) => ({ type: "text", text }));
      await expect(host.prompt({ parts })).rejects.toThrow("killed");
      // Killed by something else before it was saved, it may not have been admitted.
      if (host.tearAfterParts === null) world.admitted.add(`torn ${index}|whole`);
      host.tearAfterParts = null;
      restart(world);
      await quiet();
      return;
    }
    case "kill":
      restart(world);
      await quiet();
      return;
  }
}

/** Everything that can still go on does, by the user's word where it takes that. */
export async function comeToRest(world: World): Promise<void> {
  world.host.answers = [];
  for (let round = 0; round < 12; round += 1) {
    world.host.release("stop");
    await world.clock.pass(60_000);
    await world.stage.inbox.resume(session);
    await world.clock.pass(60_000);
  }
}

export function expectNothingLost(world: World): void {
  const { host, stage } = world;
  const texts = host.texts();
  for (const text of world.admitted) {
    expect(texts.filter((said) => said === text)).toEqual([text]);
  }
  expect(texts.filter((said) => world.queued.includes(said))).toEqual(world.queued);
  // `swallowed`: stored again under another id, which is answered.
  const open = stage.states().filter((state) => state !== "answered" && state !== "swallowed");
  expect(open).toEqual([]);
  const reader = openBunDriver(world.path);
  expect(reader.get("PRAGMA integrity_check")?.integrity_check).toBe("ok");
  const unpromoted = reader.get(
    "SELECT count(*) AS count FROM session_input WHERE promoted_at_ms IS NULL AND state <> 'swallowed'",
  );
  expect(unpromoted?.count).toBe(0);
  reader.close();
}
