// Bounds one result of 50 MB and prints what it took, beside one of a quarter: `measure-large.ts KIND FOLDER`.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { hostDefaultLimits } from "../../../src/features/tool-output/limits.ts";
import { ManagedFiles } from "../../../src/features/tool-output/managed-files.ts";
import { ToolOutput } from "../../../src/features/tool-output/settlement.ts";
import { timesAsLong } from "../../processor-time.ts";

const BYTES = 50 * 1_048_576;

const [, , kind = "", folder = ""] = process.argv;

/** Of so many bytes; flat strings, as they come out of JSON.parse. */
function parts(all: number): readonly string[] {
  const filled = (line: string, bytes: number): string =>
    JSON.parse(JSON.stringify(line.repeat(Math.ceil(bytes / Buffer.byteLength(line)))));
  switch (kind) {
    case "one line":
      return [filled("x", all)];
    case "wide characters":
      return [filled("日本語の行です、とても長い。\n", all)];
    case "newlines":
      return [filled("\n", all)];
    case "ten parts":
      return Array.from({ length: 10 }, () => filled("a line of a log\n", all / 10));
    default:
      return [filled("a line of a log\n", all)];
  }
}

const asResult = (texts: readonly string[]) => ({
  content: texts.map((text) => ({ type: "text", text })),
});
const whole = parts(BYTES);
const result = asResult(whole);
const output = new ToolOutput({
  files: new ManagedFiles(folder, Date.now),
  howToRead: () => "read it",
  kept: () => undefined,
  limits: () => hostDefaultLimits,
  lost: (_call, _bytes, reason) => {
    throw new Error(reason);
  },
});
Bun.gc(true);
const peakBefore = process.resourceUsage().maxRSS;
await output.settle({ tool: "mcp_large", callId: "call_1" }, result);
const peakMb = (process.resourceUsage().maxRSS - peakBefore) / 1024;
const fileBytes = readdirSync(folder).reduce(
  (sum, name) => sum + statSync(join(folder, name)).size,
  0,
);
const previewBytes = Buffer.byteLength(String(result.content[0]?.text));
// Last, since it uses memory of its own.
const settle = (texts: readonly string[]) => () =>
  output.settle({ tool: "mcp_large", callId: "call_2" }, asResult(texts));
const timesOfQuarter = await timesAsLong(settle(whole), settle(parts(BYTES / 4)));
console.log(JSON.stringify({ timesOfQuarter, peakMb, fileBytes, previewBytes }));
