// Reads the demo's command line.

export const USAGE = `npm run demo [-- [pi] OPTIONS]

Plays two scripted sessions on the real OpenCode, without and with Session Runtime, and shows what
each costs: a day's work, and a long session with questions about what was seen before. Needs no key
and no network, and takes a few minutes.

  pi             a day's work on the real Pi instead, in less than a minute; the first time it fetches Pi

  --out FILE     where the page goes (default: .tmp/demo.html)
  --live         a short session against a real provider instead: needs ANTHROPIC_API_KEY or
                 OPENAI_API_KEY, and costs a few cents (ANTHROPIC_BASE_URL and OPENAI_BASE_URL count)
  --model ID     with --live: the provider's model
  --help         this text
`;

export type Arguments =
  | { readonly kind: "scripted" | "pi"; readonly out: string }
  | { readonly kind: "live"; readonly out: string; readonly model: string | null }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly reason: string };

const DEFAULT_OUT = ".tmp/demo.html";

export function parseArguments(given: readonly string[]): Arguments {
  let out = DEFAULT_OUT;
  let model: string | null = null;
  let kind: "scripted" | "pi" | "live" = "scripted";
  const rest = [...given];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    switch (word) {
      case "--help":
      case "-h":
        return { kind: "help" };
      case "pi":
      case "--live": {
        const wanted = word === "pi" ? "pi" : "live";
        if (kind !== "scripted" && kind !== wanted) {
          return { kind: "wrong", reason: "--live plays on OpenCode alone, so not with pi" };
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
  if (kind === "live") return { kind, out, model };
  return model === null
    ? { kind, out }
    : { kind: "wrong", reason: "--model goes with --live: the scripted session has no real model" };
}
