// A historian by script: it notes each fact that it is shown and a question may be about.
import { objects, text } from "../../json.ts";
import { type Reply, say } from "../../provider/reply.ts";
import type { ModelRequest } from "./frugal-provider.ts";
import type { Fact, SessionScript } from "./session-script.ts";

interface ShownMessage {
  readonly id: string;
  readonly role: string;
  /** As it was said, without results. */
  readonly said: string;
  /** All of it. */
  readonly text: string;
}

/** What a model would say of a batch that reads well and does not know what will be asked. */
export class ScriptedHistorian {
  readonly #facts: readonly Fact[];

  constructor({ turns }: SessionScript) {
    this.#facts = turns.flatMap((turn) => (turn.type === "work" ? turn.facts : []));
  }

  answer({ body }: ModelRequest): Reply {
    const said = objects(body.messages).flatMap(({ content }) =>
      typeof content === "string" ? [content] : objects(content).map((part) => text(part.text)),
    );
    const prompt = said.find((one) => one.includes("<messages>")) ?? "";
    const messages = messagesIn(prompt.slice(prompt.indexOf("<messages>")));
    const segments = byTurn(messages).map((some) => this.#segment(some));
    return say(`<history>\n${segments.join("\n")}\n</history>`);
  }

  #segment(messages: readonly ShownMessage[]): string {
    const [first, last] = [messages.at(0), messages.at(-1)];
    const asked = line(messages.find(({ role }) => role === "user")?.said ?? "", ASKED_CHARS);
    const answered = line(messages.findLast(({ role }) => role === "assistant")?.said ?? "", 200);
    const whole = messages.map((one) => one.text).join("\n");
    const noted = this.#facts
      .filter(({ line: one }) => whole.includes(one))
      .map((fact) => fact.line.trim());
    const notes = noted.map((one) => ` Noted: ${one}`).join("");
    const tiers = [
      `Asked: ${asked} Answered: ${answered}${notes} All of it was done as it was asked for, and nothing of it is left open.`,
      `${asked}${notes} It was answered.`,
      `${asked.slice(0, 100)}${notes}`,
      asked.slice(0, LINE_CHARS),
    ].map((tier, at) => `<p${at + 1}>${escaped(tier)}</p${at + 1}>`);
    const importance = noted.length > 0 ? 75 : 35;
    return `<segment from="${first?.id}" to="${last?.id}" kind="feature" importance="${importance}">\n${tiers.join("")}\n</segment>`;
  }
}

const ASKED_CHARS = 240;
const LINE_CHARS = 60;

const MESSAGE = /<message id="(m\d+)" role="(\w+)">([\s\S]*?)<\/message>/g;
const RESULT = /<result[^>]*>[\s\S]*?<\/result>/g;

function messagesIn(source: string): readonly ShownMessage[] {
  return [...source.matchAll(MESSAGE)].map(([, id = "", role = "", inner = ""]) => ({
    ...{ id, role, text: unescaped(inner) },
    said: unescaped(inner.replace(RESULT, "")).trim(),
  }));
}

/** Each begins with a prompt of the user's. */
function byTurn(messages: readonly ShownMessage[]): readonly (readonly ShownMessage[])[] {
  const turns: ShownMessage[][] = [];
  for (const message of messages) {
    const current = turns.at(-1);
    if (current && message.role !== "user") current.push(message);
    else turns.push([message]);
  }
  return turns;
}

function line(text: string, most: number): string {
  return text.replace(/\s+/g, " ").trim().slice(0, most);
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function unescaped(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}
