// Replays a recorded session on the real host, by the record's clock.
// Folder: Recorded sessions of real models on the real host, for `npm run bench -- real`.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SyntheticCall, SyntheticWords } from "../../../../cli/src/simulation/made-up.ts";
import { MAX_CALLS_AT_ONCE, TURN_END } from "../../../../cli/src/simulation/play.ts";
import {
  listTurns,
  type RecordedSession,
  type RecordedStep,
  type RecordedTurn,
} from "../../../../cli/src/simulation/recorded.ts";
import {
  type InstructionFigures,
  InstructionTracker,
} from "../../../../cli/src/simulation/standing-words.ts";
import { type PluginEntry, STOCK, startHost } from "../../host/host.ts";
import type { ModelRef } from "../../host/models.ts";
import { allTextIn } from "../../json.ts";
import { type Reply, say } from "../../provider/reply.ts";
import {
  type CallNote,
  type ModelRequest,
  startFrugalProvider,
} from "../history/frugal-provider.ts";

export interface ReplayedSession {
  readonly calls: readonly CallNote[];
  /** Of the calls, those that only asked again. */
  readonly extraCalls: number;
  /** Results. */
  readonly askedAgain: number;
  readonly tooLong: number;
  /** What of earlier prompts and closing answers stood in its calls. */
  readonly standing: InstructionFigures;
}

export interface ReplaySettings {
  /** Empty: the host alone. */
  readonly plugin: readonly PluginEntry[];
  readonly model: ModelRef;
  readonly windowTokens: number;
  readonly onTurn: (done: number, total: number) => void;
  /** Before the host and its home go; `folder` is the host's data. */
  readonly onEnd: (folder: string) => Promise<void>;
}

const TOOLS = join(import.meta.dir, "../../../fixtures/recorded-tools-plugin.js");

export async function replay(
  recorded: RecordedSession,
  { plugin, model, windowTokens, onTurn, onEnd }: ReplaySettings,
): Promise<ReplayedSession> {
  const folder = mkdtempSync(join(tmpdir(), "recorded-"));
  const scripted = new RecordedModel(recorded, folder);
  const provider = await startFrugalProvider({
    respond: (heard) => scripted.respond(heard),
    windowTokens,
    clock: () => scripted.nowMs,
  });
  const host = await startHost({
    ...STOCK,
    plugin: [[TOOLS, { folder }], ...plugin],
    providerUrl: provider.url,
    config: { snapshot: false },
  });
  try {
    const { id } = await host.client.createSession();
    const turns = listTurns(recorded);
    for (const [number, turn] of turns.entries()) {
      const text = scripted.begin(turn, number);
      const { settled } = await host.client.promptAsync(id, text, { model });
      await settled;
      onTurn(number + 1, turns.length);
    }
    if (provider.rejections.length > 0) throw new Error(`Refused: ${provider.rejections[0]}`);
    await onEnd(host.home.data);
    const { extraCalls, askedAgain, standing } = scripted;
    const tooLong = provider.tooLong.length;
    return { calls: provider.notes, extraCalls, askedAgain, tooLong, standing };
  } finally {
    await host.stop();
    await provider.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes the recorded steps; before each it asks again for what the step needs and the request lacks. */
export class RecordedModel {
  nowMs = 0;
  extraCalls = 0;
  askedAgain = 0;
  readonly #words: SyntheticWords;
  readonly #standing: InstructionTracker;
  #turn = 0;
  #steps: RecordedStep[] = [];
  #asked = new Set<number>();
  #number = 0;

  constructor(
    recorded: RecordedSession,
    private readonly folder: string,
  ) {
    this.#words = SyntheticWords.of(recorded);
    this.#standing = new InstructionTracker(recorded);
  }

  get standing(): InstructionFigures {
    return this.#standing.figures;
  }

  /** The prompt of this turn. */
  begin({ chars, steps }: RecordedTurn, number: number): string {
    this.#turn = number;
    this.#steps = [...steps];
    this.#moveClock();
    return this.#words.createPrompt(chars, number);
  }

  respond(heard: ModelRequest): Reply {
    switch (heard.kind) {
      case "title":
        return say("A recorded session");
      case "compaction":
        return say(SUMMARY);
      case "job":
        return say("<history></history>");
      case "main":
        return this.#main(heard);
    }
  }

  #main({ text, body }: ModelRequest): Reply {
    this.#standing.look(this.#turn, allTextIn(body));
    const [step] = this.#steps;
    if (!step) return say(TURN_END);
    this.nowMs = stepTimeMs(step) ?? this.nowMs;
    const missing = this.#words
      .listNeeds(step)
      .filter(({ result, marks }) => {
        return !this.#asked.has(result) && !marks.some((mark) => text.includes(mark));
      })
      .slice(0, MAX_CALLS_AT_ONCE);
    if (missing.length > 0) {
      for (const { result } of missing) this.#asked.add(result);
      this.askedAgain += missing.length;
      this.extraCalls += 1;
      return this.#calling(
        "",
        missing.map(({ result }) => result),
      );
    }
    this.#steps.shift();
    this.#asked = new Set();
    const said = this.#words.createAnswer(step, this.#number);
    this.#number += 1;
    this.#moveClock();
    return this.#calling(
      said,
      step.calls.map(({ result }) => result),
    );
  }

  #calling(text: string, results: readonly number[]): Reply {
    const made = results.flatMap((result) => this.#words.findCall(result) ?? []);
    const byCall = Object.fromEntries(made.map((call) => [callKey(call), call]));
    writeFileSync(join(this.folder, "results.json"), JSON.stringify(byCall));
    const calls = made.map(({ tool, input }) => ({ name: tool, input }));
    return { type: "answer", text, calls };
  }

  /** The host's, to where the next step is. */
  #moveClock(): void {
    const [next] = this.#steps;
    const atMs = (next && stepTimeMs(next)) ?? this.nowMs;
    writeFileSync(join(this.folder, "clock"), String(atMs));
  }
}

function callKey({ tool, input }: SyntheticCall): string {
  return `${tool} ${JSON.stringify(input)}`;
}

function stepTimeMs({ s }: RecordedStep): number | undefined {
  return s === undefined ? undefined : s * 1000;
}

/** As long as those of the host's usually are. */
const SUMMARY = "What was done so far, in the words of a summary. ".repeat(80);
