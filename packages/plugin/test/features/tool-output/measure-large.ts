// Bounds one result of 50 MB and prints what it took: `measure-large.ts KIND FOLDER`.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { hostDefaultLimits } from "../../../src/features/tool-output/limits.ts";
import { ManagedFiles } from "../../../src/features/tool-output/managed-files.ts";
import { ToolOutput } from "../../../src/features/tool-output/settlement.ts";
import { processorNowMs } from "../../processor-time.ts";

const BYTES = 50 * 1_048_576;

const [, , kind = "", folder = ""] = process.argv;

/** Flat strings, as they come out of JSON.parse. */
function parts(): readonly string[] {
  const filled = (line: string, bytes: number): string =>
    JSON.parse(JSON.stringify(line.repeat(Math.ceil(bytes / Buffer.byteLength(line)))));
  switch (kind) {
    case "one line":
      return [filled("x", BYTES)];
    case "wide characters":
      return [filled("日本語の行です、とても長い。\n", BYTES)];
    case "newlines":
      return [filled("\n", BYTES)];
    case "ten parts":
      return Array.from({ length: 10 }, () => filled("a line of a log\n", BYTES / 10));
    default:
      return [filled("a line of a log\n", BYTES)];
  }
}

const result = { content: parts().map((text) => ({ type: "text", text })) };
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
const startedAt = processorNowMs();
await output.settle({ tool: "mcp_large", callId: "call_1" }, result);
const ms = processorNowMs() - startedAt;
const peakMb = (process.resourceUsage().maxRSS - peakBefore) / 1024;
const fileBytes = readdirSync(folder).reduce(
  (sum, name) => sum + statSync(join(folder, name)).size,
  0,
);
const previewBytes = Buffer.byteLength(String(result.content[0]?.text));
console.log(JSON.stringify({ ms, peakMb, fileBytes, previewBytes }));
