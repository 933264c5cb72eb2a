import { expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import type { PastSession, SessionEstimate } from "../../src/estimate/session-estimate.ts";
import { Simulators } from "../../src/estimate/simulators.ts";

/** Answers as a test says, a little later. */
class Thread extends EventEmitter {
  constructor(private readonly answer: (thread: Thread, past: PastSession) => void) {
    super();
  }

  postMessage(past: PastSession): void {
    setTimeout(() => this.answer(this, past), 1);
  }

  async terminate(): Promise<number> {
    return 0;
  }
}

const named = (title: string) => ({ title }) as unknown as PastSession;
const playing = () =>
  new Thread((thread, { title }) => thread.emit("message", { title: `played ${title}` }));
const failing = () => new Thread((thread) => thread.emit("error", new Error("out of memory")));
const aMoment = () => new Promise((resolve) => setTimeout(resolve, 10));

test("each session is played once, by whichever thread is free", async () => {
  const simulators = new Simulators([playing(), playing()]);
  const played: string[] = [];
  const done = ({ title }: SessionEstimate) => void played.push(title);
  for (const title of ["a", "b", "c", "d", "e"]) await simulators.submit(named(title), done);
  await simulators.settled();
  expect(played.toSorted()).toEqual(["a", "b", "c", "d", "e"].map((title) => `played ${title}`));
});

test("what fails in a thread is thrown where somebody waits, also once no thread is left", async () => {
  const simulators = new Simulators([failing(), failing()]);
  const ignore = () => undefined;
  await simulators.submit(named("a"), ignore);
  await simulators.submit(named("b"), ignore);
  await aMoment();
  await expect(simulators.submit(named("c"), ignore)).rejects.toThrow("out of memory");
  await expect(simulators.settled()).rejects.toThrow("out of memory");
  await simulators.close();
});
