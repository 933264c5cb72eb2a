// The scripted model: works through its turns, and answers questions from what it is sent, or after one look-up.
import { isObject, objects, text } from "../../json.ts";
import { call, calls, fail, type Reply, say } from "../../provider/reply.ts";
import type { ModelRequest } from "./frugal-provider.ts";
import type { Fact, ScriptTurn, Step } from "./session-script.ts";

export type Outcome = "context" | "look-up" | "not found" | "not known";

/** How a question went. */
export interface AskedQuestion {
  readonly fact: Fact;
  readonly outcome: Outcome;
  /** What the look-up gave, where there was one. */
  readonly found: string;
}

const LOOK_UP = "ctx_search";

/** `"look-up"`: it asks `ctx_search` where it doesn't know. `"none"`: it calls no tool but the script's. */
export type LookUps = "look-up" | "none";

export class Answerer {
  #turn: ScriptTurn | null = null;
  #steps: Step[] = [];
  #refusals = 0;
  #looksUp = false;
  readonly #asked: AskedQuestion[] = [];
  readonly #prompts: string[] = [];

  constructor(private readonly lookUps: LookUps) {}

  get asked(): readonly AskedQuestion[] {
    return this.#asked;
  }

  begin(turn: ScriptTurn): void {
    this.#turn = turn;
    this.#steps = turn.type === "work" ? [...turn.steps] : [];
    this.#looksUp = false;
    this.#prompts.push(turn.type === "work" ? turn.prompt : turn.fact.question);
  }

  /** The provider is at its rate limit for so many of the next calls. */
  refuse(calls: number): void {
    this.#refusals = calls;
  }

  respond(heard: ModelRequest): Reply {
    switch (heard.kind) {
      case "title":
        return say("A long session");
      case "compaction":
        return say(this.#summary());
      case "job":
        return say("<history></history>");
      case "main":
        return this.#main(heard);
    }
  }

  /** The next thing to do; nothing is left where the host asks a model to go on after a turn's end. */
  #main(heard: ModelRequest): Reply {
    if (this.#refusals > 0) {
      this.#refusals -= 1;
      return fail(429);
    }
    const turn = this.#turn;
    if (turn === null) return say("There is nothing left to do.");
    if (turn.type === "question") return this.#answer(turn.fact, heard);
    for (let step = this.#steps.shift(); step; step = this.#steps.shift()) {
      const { unlessShown } = step;
      if (unlessShown === null || !heard.text.includes(unlessShown)) return calls(...step.calls);
    }
    this.#turn = null;
    return say(turn.answer);
  }

  #answer(fact: Fact, heard: ModelRequest): Reply {
    if (this.#looksUp) {
      const found = lastResult(heard);
      return this.#end(fact, found.includes(fact.answer) ? "look-up" : "not found", found);
    }
    if (heard.text.includes(fact.answer)) return this.#end(fact, "context", "");
    if (this.lookUps === "none" || !offers(heard, LOOK_UP)) {
      return this.#end(fact, "not known", "");
    }
    this.#looksUp = true;
    return call(LOOK_UP, { query: fact.query });
  }

  #end(fact: Fact, outcome: Outcome, found: string): Reply {
    this.#turn = null;
    this.#asked.push({ fact, outcome, found });
    const isRight = outcome === "context" || outcome === "look-up";
    return say(isRight ? `It was ${fact.answer}.` : "I can't say: I don't see it any more.");
  }

  /** As the host's compaction asks for it: what was wanted, newest last, with some of the words. */
  #summary(): string {
    const recent = this.#prompts
      .slice(-SUMMARY_PROMPTS)
      .map((prompt) => `- ${prompt.slice(0, 160)}`);
    return `## Objective\n- Carry on with the tasks as they come.\n\n## Done so far\n${recent.join("\n")}\n\n## Next\n- Wait for the next task.`;
  }
}

const SUMMARY_PROMPTS = 20;

function offers({ body }: ModelRequest, tool: string): boolean {
  return objects(body.tools).some(({ name }) => name === tool);
}

/** The text of the newest tool result. */
function lastResult({ body }: ModelRequest): string {
  const results = objects(body.messages)
    .flatMap(({ content }) => objects(content))
    .filter(({ type }) => type === "tool_result");
  const content = results.at(-1)?.content;
  if (!Array.isArray(content)) return text(content);
  return content.map((part) => (isObject(part) ? text(part.text) : "")).join("\n");
}
