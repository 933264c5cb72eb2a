// Plays steps in a session of the real Pi: what was sent at each, and its bill.
import { join } from "node:path";
import { actualBill, idealBill } from "../billing/ideal.ts";
import { type Files, writeFiles } from "../host/home.ts";
import { isObject, type JsonObject, objects, text } from "../json.ts";
import { billed, type CallRecord, rejections } from "../provider/record.ts";
import { call, say } from "../provider/reply.ts";
import { openPi, PI_MODELS, type PiHome, type PiModel, type PiProcess } from "./pi.ts";

export type PiStep =
  /** A prompt whose first call reads a file. */
  | { readonly type: "turn"; readonly text: string; readonly file: string; readonly answer: string }
  /** Someone writes files of the project; `news` is what the model then has to read. */
  | { readonly type: "edit"; readonly files: Files; readonly news: string }
  | { readonly type: "restart" | "kill" }
  /** Forks before the newest prompt. */
  | { readonly type: "fork" }
  /** Moves to where the newest prompt but one was asked, and so leaves it and what follows. */
  | { readonly type: "tree" };

export interface PiPlay {
  readonly files: Files;
  readonly model: keyof typeof PI_MODELS;
  /** Without any it is the stock Pi. */
  readonly extensions: readonly string[];
  readonly onStep: (step: PiStep) => void;
  /** Called when all steps are done, while Pi still runs. */
  readonly onEnd: (running: PiProcess, home: PiHome) => Promise<void>;
}

export interface PiRun {
  /** What each step sent. */
  readonly steps: readonly (readonly CallRecord[])[];
  readonly calls: readonly CallRecord[];
  readonly bill: number;
  /** The least that this run could have cost; what a fork or a move leaves counts as new. */
  readonly ideal: number;
  /** 1 is perfect. */
  readonly ratio: number;
  /** What a real provider would have refused, and what extensions failed at. */
  readonly failures: readonly string[];
}

const TREE = join(import.meta.dir, "../../fixtures/pi/tree.js");

export async function playSteps(
  steps: readonly PiStep[],
  { files, model, extensions, onStep, onEnd }: PiPlay,
): Promise<PiRun> {
  const settings = { cacheWarming: "off" };
  const pi = await openPi({ extensions: [...extensions, TREE], files, settings });
  const { provider } = pi;
  if (model === "capable") provider.script.instructions = "by-rule";
  const id: PiModel = PI_MODELS[model];
  const failures: string[] = [];
  /** Indexes of the calls that came first after a fork or a move. */
  const rewrites = new Set<number>();
  let running = pi.start([], id);
  const ended = () =>
    failures.push(
      ...running.events
        .filter(({ type }) => type === "extension_error")
        .map((it) => JSON.stringify(it)),
    );
  const play = async (step: PiStep) => {
    switch (step.type) {
      case "turn":
        provider.script.queue(call("read", { path: step.file }), say(step.answer));
        return running.say(step.text);
      case "edit":
        return writeFiles(pi.project, step.files);
      case "restart":
      case "kill":
        ended();
        await (step.type === "kill" ? running.kill9() : running.end());
        running = pi.start(["--continue"], id);
        return;
      case "fork":
        rewrites.add(provider.calls.length);
        await running.ask({ type: "fork", entryId: (await prompts(running)).at(-1) ?? "" });
        return;
      case "tree":
        rewrites.add(provider.calls.length);
        return running.say(`/tree-to ${(await prompts(running)).at(-2)}`);
    }
  };
  try {
    const sent: (readonly CallRecord[])[] = [];
    for (const step of steps) {
      const before = provider.calls.length;
      await play(step);
      sent.push(provider.calls.slice(before));
      onStep(step);
    }
    await onEnd(running, pi);
    ended();
    const { calls } = provider;
    const paid = asOneSession(calls);
    const bill = actualBill(paid);
    const ideal = idealBill(paid, ({ index }) => rewrites.has(index));
    return {
      ...{ steps: sent, calls, bill, ideal, ratio: bill / ideal },
      failures: [...rejections(calls), ...failures],
    };
  } finally {
    await pi.close();
  }
}

/**
 * A fork goes on in another session of Pi's and may read what its parent wrote; and Pi's prompt has no
 * agent's part in front, whose change would be another agent's: all of it is to stay.
 */
function asOneSession(calls: readonly CallRecord[]) {
  return billed(calls).map((one) => ({ ...one, session: "", preamble: "" }));
}

/** Ids of the entries that are the user's prompts, oldest first. */
async function prompts(running: PiProcess): Promise<readonly string[]> {
  const { data } = await running.ask({ type: "get_entries" });
  const entries: readonly JsonObject[] = isObject(data) ? objects(data.entries) : [];
  return entries
    .filter(({ message }) => isObject(message) && message.role === "user")
    .map(({ id }) => text(id));
}
