// Reads out of a provider's refusal how many tools it takes in one call.

interface ToolLimitStatement {
  readonly most: number;
  /** The number of tools that the call had; null where the provider doesn't say. */
  readonly sent: number | null;
}

/** Each way to say it has an expression, with both counts or the limit alone. Nothing repeats without a bound. */
const FORMS: readonly RegExp[] = [
  // OpenAI, Azure, Copilot: "Invalid 'tools': array too long. Expected an array with maximum length 128,
  // but got an array with length 142 instead."
  /'tools': array too long\. expected an array with maximum length (\d{1,5}), but got an array with length (\d{1,5})/i,
  // Groq: "'tools' : maximum number of items is 128"
  /'tools' {0,2}: maximum number of items is (\d{1,5})/i,
  // Copilot: "You may not include more than 128 tools in your request.", "Cannot have more than 128 tools
  // per request."
  /(?:may not include|cannot have) more than (\d{1,5}) tools/i,
  // Gemini: "At most 512 function declarations can be specified."
  /at most (\d{1,5}) function declarations/i,
];

/** A refusal says it first; what comes far after it may be the prompt, quoted, and say anything. */
const READ_CHARS = 4_000;

/** Returns null where the refusal is not about the number of tools. */
export function statedTools(refusal: string): ToolLimitStatement | null {
  const text = refusal.slice(0, READ_CHARS);
  for (const form of FORMS) {
    const found = form.exec(text);
    if (!found) continue;
    const most = Number(found[1]);
    return most > 0 ? { most, sent: found[2] === undefined ? null : Number(found[2]) } : null;
  }
  return null;
}
