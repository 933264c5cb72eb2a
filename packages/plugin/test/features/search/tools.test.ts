import { describe, expect, test } from "bun:test";
import { deriveRef } from "../../../src/ledger/ref.ts";
import { estimateTokens } from "../../../src/ledger/tokens.ts";
import type { SessionId } from "../../../src/storage/records.ts";
import { makeStage, onlyPart, quotes, ran, SES, says } from "./stage.ts";

describe("ctx_expand", () => {
  const stage = makeStage();
  const lines = Array.from({ length: 1_000 }, (_, n) => `line ${n + 1}`);
  const long = ran("bash", { command: "seq" }, lines.join("\n"));
  const ref = deriveRef("r", onlyPart(long).id);
  stage.add([says("short"), long]);

  test("R8, I21: shows the record itself, bounded, with the way to the rest", async () => {
    const first = await stage.recall.expand(SES, `[${ref}]`, { from: 1, lines: 200 });
    expect(quotes(first)).toEqual(["command: seq", ...lines.slice(0, 199)]);
    expect(first).toContain(`[${ref}] bash seq, lines 1 to 200 of 1001`);
    expect(first).toEndWith(`ctx_expand ${ref} with from: 201 shows the rest.`);
    const rest = await stage.recall.expand(SES, ref, { from: 901, lines: 200 });
    expect(quotes(rest)).toEqual(lines.slice(899));
    expect(rest).toEndWith("</recalled>");
  });

  test("all pages together are the record, and none is over its bound", async () => {
    const wide = ran(
      "bash",
      {},
      Array.from({ length: 400 }, (_, n) => `${n} ${"wide ".repeat(60)}`).join("\n"),
    );
    stage.add([says("short"), long, wide]);
    const seen: string[] = [];
    let from: number | null = 1;
    for (let page = 0; from !== null && page < 50; page += 1) {
      const answer: string = await stage.recall.expand(SES, deriveRef("r", onlyPart(wide).id), {
        from,
        lines: 2_000,
      });
      expect(estimateTokens(answer)).toBeLessThan(8_200);
      seen.push(...quotes(answer));
      const next = /with from: (\d+) shows/.exec(answer)?.[1];
      from = next === undefined ? null : Number(next);
    }
    expect(seen).toHaveLength(400);
    expect(seen.at(-1)).toStartWith("399 wide");
  });

  test("R8: of a segment it shows the messages from its first one on, each with its ref", async () => {
    const [before, first, second, third] = [
      says("before"),
      says("one heron"),
      ran("bash", {}, "two herons"),
      says("three"),
    ];
    const segments = makeStage();
    segments.add([before, first, second, third]);
    const name = deriveRef("h", first.info.id);
    const answer = await segments.recall.expand(SES, name, { from: 1, lines: 50 });
    expect(answer.split("\n").slice(3, -1)).toEqual([
      `[${deriveRef("r", onlyPart(first).id)}] user`,
      "1| one heron",
      `[${deriveRef("r", onlyPart(second).id)}] bash`,
      "2| two herons",
      `[${deriveRef("r", onlyPart(third).id)}] user`,
      "3| three",
    ]);
    const unknown = await segments.recall.expand(SES, "h:000000", { from: 1, lines: 50 });
    expect(unknown).toStartWith("There is no ref h:000000 in this session");
    const elsewhere = await segments.recall.expand("ses_2" as SessionId, name, {
      ...{ from: 1, lines: 50 },
    });
    expect(elsewhere).toStartWith(`There is no ref ${name} in this session`);
  });

  test("a ref beyond its end, an unknown ref, and what is no ref each get a clear answer", async () => {
    const page = { from: 5_000, lines: 10 };
    expect(await stage.recall.expand(SES, ref, page)).toBe(
      `${ref} (bash seq) has 1001 lines; there is none from 5000 on.`,
    );
    expect(await stage.recall.expand(SES, "r:000000", page)).toStartWith(
      "There is no ref r:000000",
    );
    expect(await stage.recall.expand(SES, "the config\nfile", page)).toStartWith(
      '"the config file" is not a ref.',
    );
  });

  test("of the project's other sessions it shows what a search found, and nothing of other projects", async () => {
    const [other, foreign] = [says("the walrus swims"), says("the walrus dives")];
    stage.add([other], "ses_2" as SessionId);
    makeStage({ path: stage.path, project: "elsewhere" }).add([foreign], "ses_3" as SessionId);
    const page = { from: 1, lines: 10 };
    expect(await stage.recall.expand(SES, deriveRef("r", onlyPart(other).id), page)).toContain(
      "the walrus swims",
    );
    expect(await stage.recall.expand(SES, deriveRef("r", onlyPart(foreign).id), page)).toStartWith(
      "There is no ref",
    );
  });
});
