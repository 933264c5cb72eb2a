// Files for a closer look: all calls, to see where the money goes, and the questions that were not answered.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RewriteRecord } from "@session-runtime/opencode/features/history/rewrite-store";
import type { PlayedCall, PlayedSession } from "./play-session.ts";
import type { PlayedSide } from "./sides.ts";
import { listRewrites } from "./tally.ts";

const HEADS = `session side call turn what kind prompt read write input bill kept stubs fold_tokens
  rewrite reason cost saved keep regret`.split(/\s+/);

/** Tab-separated calls, a line each, and unanswered questions as text. */
export function writeDetails(folder: string, name: string, sides: readonly PlayedSide[]): void {
  mkdirSync(folder, { recursive: true });
  const sessions = sides.flatMap(({ side, played }) =>
    played.map((one) => ({ side, played: one })),
  );
  const lines = [HEADS, ...sessions.flatMap(toRows)].map((cells) => cells.join("\t"));
  writeFileSync(join(folder, `${name}.tsv`), `${lines.join("\n")}\n`);
  const misses = sessions.flatMap(listMisses);
  writeFileSync(join(folder, `${name}.misses.txt`), `${misses.join("\n\n")}\n`);
}

interface SessionOfSide {
  readonly side: string;
  readonly played: PlayedSession;
}

function toRows({ side, played }: SessionOfSide): readonly (readonly (string | number)[])[] {
  const { script, calls, rewrites } = played;
  const seen = new Map(listRewrites(calls).map(({ call, kind }) => [call, kind]));
  return calls.map((call, index) => {
    const { usage } = call;
    const recorded = rewrites.find((rewrite) => findRewriteCall(rewrite, calls) === call);
    return [
      ...[script.name, side, index, call.turn, script.turns[call.turn]?.type ?? "", call.kind],
      ...[call.promptTokens, usage.readTokens, usage.writeTokens, usage.inputTokens],
      ...[Math.round(call.bill), call.keptTokens, call.stubs, call.foldTokens],
      ...[seen.get(call) ?? "", recorded?.reason ?? "", recorded?.costTokens ?? ""],
      ...[recorded?.savedTokens ?? "", recorded?.keepTokens ?? "", recorded?.regretTokens ?? ""],
    ];
  });
}

/** The call that a rewrite was made for. */
function findRewriteCall(
  { atMs }: RewriteRecord,
  calls: readonly PlayedCall[],
): PlayedCall | undefined {
  return calls.find(({ kind, arrivedMs }) => kind === "main" && arrivedMs >= atMs);
}

function listMisses({ side, played: { script, asked, failed, tooLong } }: SessionOfSide) {
  const misses = asked.flatMap(({ fact, outcome, found }) => {
    if (outcome === "context" || outcome === "look-up") return [];
    const turn = script.turns.find((one) => one.type === "question" && one.fact === fact);
    const age = turn?.type === "question" ? turn.age : 0;
    const said = [
      `${side}, ${script.name}: ${outcome}: ${fact.kind}, ${age} turns old: ${fact.question}`,
      `  stated as: ${fact.line}`,
      `  looked for: ${fact.query}`,
      ...(found === "" ? [] : [found.replaceAll(/^/gm, "    ")]),
    ];
    return [said.join("\n")];
  });
  const refused = tooLong.map((size) => `${side}, ${script.name}: refused as too long: ${size}`);
  const broken = failed.map((turn) => `${side}, ${script.name}: not answered: ${turn}`);
  return [...misses, ...refused, ...broken];
}
