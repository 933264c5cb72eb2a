// Reads the demo's command line.

export const USAGE = `npm run demo [-- [long | pi] OPTIONS]

Plays a scripted day's work on the real OpenCode, without and with Session Runtime, and shows what
each costs. Needs no key, takes less than two minutes, and the network only for what it fetches once.

  long           a long session as well, with questions about what was seen before: a few minutes
  pi             a day's work on the real Pi instead, in less than a minute; the first time it fetches Pi

  --out FILE     where the page goes (default: .tmp/demo.html)
  --open         opens the page
  --live         a short session against a real provider instead: needs ANTHROPIC_API_KEY or
                 OPENAI_API_KEY, and costs a few cents (ANTHROPIC_BASE_URL and OPENAI_BASE_URL count)
  --model ID     with --live: the provider's model
  --help         this text
`;

export type Arguments =
  | ({ readonly kind: "scripted" | "long" | "pi" } & Page)
  | ({ readonly kind: "live"; readonly model: string | null } & Page)
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly reason: string };

/** Where the page goes, and what becomes of it. */
export interface Page {
  readonly out: string;
  readonly afterwards: "open" | "stay";
}

const DEFAULT_OUT = ".tmp/demo.html";

export function parseArguments(given: readonly string[]): Arguments {
  let out = DEFAULT_OUT;
  let model: string | null = null;
  let afterwards: Page["afterwards"] = "stay";
  let kind: "scripted" | "long" | "pi" | "live" = "scripted";
  const rest = [...given];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    switch (word) {
      case "--help":
      case "-h":
        return { kind: "help" };
      case "--open":
        afterwards = "open";
        break;
      case "long":
      case "pi":
      case "--live": {
        const wanted = word === "--live" ? "live" : word;
        if (kind !== "scripted" && kind !== wanted) {
          return { kind: "wrong", reason: "only one of long, pi and --live is played at a time" };
        }
        kind = wanted;
        break;
      }
      case "--out":
      case "--model": {
        const value = rest.shift();
        if (!value) return { kind: "wrong", reason: `${word} wants a value` };
        if (word === "--out") out = value;
        else model = value;
        break;
      }
      default:
        return { kind: "wrong", reason: `unknown option ${word}` };
    }
  }
  if (kind === "live") return { kind, out, afterwards, model };
  return model === null
    ? { kind, out, afterwards }
    : { kind: "wrong", reason: "--model goes with --live: the scripted session has no real model" };
}
