import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { LAYERS } from "../../src/status/layers.ts";
import { formatShortCount, renderLayerBar, renderLayerLegend } from "../../src/tui/layer-bar.ts";
import { areLinesEqual, measureLineWidth, segment, toPlainText } from "../../src/tui/line.ts";
import { type LinkState, renderBottomLine, renderPanelLines } from "../../src/tui/view.ts";
import { BUST, CALM, linked, NOW_MS, TROUBLED, WARNING } from "./panel-status.ts";

const WIDTH = 37;

function panel(state: Parameters<typeof renderPanelLines>[0]): readonly string[] {
  return renderPanelLines(state, NOW_MS, WIDTH).map(toPlainText);
}

function bottom(state: Parameters<typeof renderBottomLine>[0], width: number): string | null {
  const line = renderBottomLine(state, NOW_MS, width);
  return line && toPlainText(line);
}

describe("TU2: the sidebar's panel", () => {
  test("shows cache, context by layer and the last update of a calm session, and no more", () => {
    expect(panel(linked(CALM))).toEqual([
      "Session Runtime",
      "Cache 94% ▁██·███",
      "██████████▓▓▒░░░░░░░░░░░░░░░░░░░░░░░░",
      "█ tools, agent 9.4k ▓ system 2.1k",
      "▒ updates 180       ░ messages 22k",
      "Updated 3 min ago: core/date, core/i…",
    ]);
  });

  test("shows the folded history as a layer of its own, and when it was folded", () => {
    const [tools, baseline, updates, conversation] = CALM.layers;
    if (!(tools && baseline && updates && conversation)) throw new Error("four layers");
    const history = { layer: "history", tokens: 4_000 } as const;
    const folded = {
      ...CALM,
      layers: [tools, baseline, history, updates, { ...conversation, tokens: 9_600 }],
      sections: ["History: spares 38,200 tokens a call"],
      marks: [{ word: "folded", atMs: NOW_MS - 4 * 60_000 }],
    };
    expect(panel(linked(folded))).toEqual([
      "Session Runtime",
      "Cache 94% ▁██·███",
      "█████████████▓▓▓▚▚▚▚▚▚▒░░░░░░░░░░░░░░",
      "█ tools, agent 9.4k ▓ system 2.1k",
      "▚ folded 4.0k       ▒ updates 180",
      "░ messages 9.6k",
      "History: spares 38,200 tokens a call",
      "▚ folded 4 min ago",
      "Updated 3 min ago: core/date, core/i…",
    ]);
    expect(bottom(linked(folded), 120)).toContain(" · folded 4 min ago");
    expect(bottom(linked(folded), 60)).not.toContain("folded");
  });

  test("begins with what needs action: stranded prompts, a lost cache, a broken database, warnings", () => {
    const lines = panel(linked(TROUBLED));
    expect(lines.slice(0, 6)).toEqual([
      "Session Runtime",
      "! 1 unanswered, 1 refused: /ctx-resume",
      "! Cache lost 2 min ago: the tool list changed",
      "! The database /data/runtime.db is locked by another process.",
      "! 2 warnings: see /ctx-status",
      "Cache 94% ▁██·███",
    ]);
    expect(lines).toContain("2 prompts queued");
  });

  test("counts what is queued as stranded only where it is held", () => {
    const queued = { ...CALM, inbox: { waiting: 2, unread: 0, unanswered: 0, refused: 0 } };
    expect(panel(linked(queued))[1]).toStartWith("Cache");
    const held = { ...queued, notice: "The last turn failed." };
    expect(panel(linked(held))[1]).toBe("! 2 held: /ctx-resume");
  });

  test("shows what the session costs and what that saves against OpenCode alone before all else", () => {
    const of = (paidUsd: number, savedUsd: number, sparedTokens: number) => {
      const money = { paidUsd, savedUsd, sparedCalls: 1, sparedTokens };
      return linked({ ...CALM, cache: { ...CALM.cache, money } });
    };
    const saving = of(12.5, 3.25, 900_000);
    expect(panel(saving).slice(1, 3)).toEqual([
      "Paid $12.50",
      "Saved about $3.25 vs OpenCode alone",
    ]);
    expect(bottom(saving, 120)).toStartWith(" paid $12.50, saved $3.25 · cache 94%");
    expect(panel(of(0.01, -0.002, 9))[2]).toBe("About $0.0020 more than OpenCode alone");
    expect(bottom(of(0.01, -0.002, 9), 120)).toStartWith(" paid $0.0100 · cache");
    expect(panel(of(0.01, 0, 0)).slice(1, 3)).toEqual(["Paid $0.0100", "Cache 94% ▁██·███"]);
  });

  test("leaves the words of the mechanism to the details", () => {
    const money = { paidUsd: 1, savedUsd: 0.5, sparedCalls: 1, sparedTokens: 900 };
    const marks = [{ word: "remembered", atMs: NOW_MS }];
    const state = linked({ ...TROUBLED, marks, cache: { ...TROUBLED.cache, money } });
    const all = [...panel(state), bottom(state, 300)].join("\n");
    expect(all).not.toMatch(/epoch|baseline|learn/i);
  });

  test("is empty while nothing is known, so that nothing flashes up", () => {
    expect(panel({ link: { kind: "searching" }, status: null })).toEqual([]);
    expect(panel(linked(null))).toEqual([]);
  });

  test("says so before the first call, and before the provider's figures", () => {
    const cache = { ...CALM.cache, calls: 0, recentRates: [], hitRate: null };
    const fresh = { ...CALM, epoch: null, layers: [], lastUpdate: null };
    expect(panel(linked({ ...fresh, cache }))).toEqual(["Session Runtime", "No call yet"]);
    const sent = { ...cache, calls: 1, recentRates: [null] };
    expect(panel(linked({ ...fresh, cache: sent }))[1]).toBe("Cache – ·");
  });

  test("keeps what is known while the server is gone, and says that it is", () => {
    const lines = panel({ link: { kind: "lost" }, status: CALM });
    expect(lines).toHaveLength(7);
    expect(lines.at(-1)).toBe("The server does not answer; looking for it again.");
  });

  test("says why there is nothing to read, for every reason there is", () => {
    const links: readonly (readonly [LinkState, string])[] = [
      [{ kind: "absent" }, "Not available on this server"],
      [{ kind: "elsewhere" }, "runs on another machine"],
      [{ kind: "unusable", reason: "of another version" }, "can't be read: of another version"],
      [{ kind: "lost" }, "does not answer"],
    ];
    for (const [link, words] of links) {
      const lines = panel({ link, status: null });
      expect(lines[0]).toBe("Session Runtime");
      expect(lines[1]).toContain(words);
    }
  });

  test("leaves out a lost cache that the provider denies, that was to be expected, or that is long past", () => {
    const losses = [
      { ...BUST, confirmation: "denied" as const },
      { ...BUST, nature: "expected" as const },
      { ...BUST, sentAtMs: NOW_MS - 60 * 60_000 },
    ];
    for (const lastBust of losses) {
      const lines = panel(linked({ ...CALM, cache: { ...CALM.cache, lastBust } }));
      expect(lines.join("\n")).not.toContain("Cache lost");
    }
  });
});

describe("the one line", () => {
  test("says the same in short, and drops what matters least where there is no room", () => {
    const state = linked({ ...TROUBLED, storageFault: null });
    const cache = "cache 94% ▁██·███";
    const alarm = "! 1 unanswered, 1 refused: /ctx-resume, cache lost, 2 warnings";
    const bar = "███▓▒░░░░░ 33k";
    expect(bottom(state, 200)).toBe(` ${alarm} · ${cache} · ${bar} · 2 queued · updated 3 min ago`);
    expect(bottom(state, 121)).toBe(` ${alarm} · ${cache} · ${bar} · 2 queued`);
    expect(bottom(state, 110)).toBe(` ${alarm} · ${cache} · 2 queued`);
    expect(bottom(state, 90)).toBe(` ${alarm} · ${cache}`);
  });

  test("has a calm session in 80 columns whole", () => {
    expect(bottom(linked(CALM), 80)).toBe(
      " cache 94% ▁██·███ · ███▓▒░░░░░ 33k · updated 3 min ago",
    );
  });

  test("is not there while nothing is known", () => {
    expect(bottom({ link: { kind: "searching" }, status: null }, 80)).toBeNull();
    expect(bottom(linked(null), 80)).toBeNull();
  });

  test("says why there is nothing to read, cut to the width", () => {
    const line = bottom({ link: { kind: "elsewhere" }, status: null }, 80);
    expect(line).toHaveLength(80);
    expect(line).toStartWith(" Session Runtime: The server runs on another machine");
  });

  test("counts one warning as one", () => {
    expect(bottom(linked({ ...CALM, warnings: [WARNING] }), 80)).toStartWith(" ! 1 warning · ");
  });
});

test("a status that looks the same is not drawn anew; another word, tone or line is", () => {
  const lines = renderPanelLines(linked(TROUBLED), NOW_MS, WIDTH);
  expect(
    areLinesEqual(lines, renderPanelLines(linked({ ...TROUBLED }), NOW_MS + 1_000, WIDTH)),
  ).toBe(true);
  expect(areLinesEqual(lines, renderPanelLines(linked(TROUBLED), NOW_MS + 70_000, WIDTH))).toBe(
    false,
  );
  expect(areLinesEqual(lines, lines.slice(1))).toBe(false);
  const muted = lines.map((line) => line.map(({ text }) => segment("muted", text)));
  expect(areLinesEqual(lines, muted)).toBe(false);
});

describe("the bar", () => {
  const shares = fc.tuple(...LAYERS.map(() => fc.oneof(fc.constant(0), fc.nat(200_000))));
  const createLayers = (tokens: readonly number[]) =>
    LAYERS.map((layer, index) => ({ layer, tokens: tokens[index] ?? 0 }));

  test("fills its width whenever there is anything, and shows each layer that is there", () => {
    fc.assert(
      fc.property(shares, fc.integer({ min: 8, max: 60 }), (tokens, width) => {
        const bar = renderLayerBar(createLayers(tokens), width);
        const present = tokens.filter((count) => count > 0).length;
        expect(bar).toHaveLength(present);
        expect(measureLineWidth(bar)).toBe(present === 0 ? 0 : width);
      }),
    );
  });

  test("has a legend that fits the sidebar, whatever the counts", () => {
    fc.assert(
      fc.property(shares, (tokens) => {
        for (const line of renderLayerLegend(createLayers(tokens))) {
          expect(measureLineWidth(line)).toBeLessThanOrEqual(WIDTH);
        }
      }),
    );
  });

  test("counts are short: three digits at most", () => {
    const shown = [0, 950, 4_060, 12_400, 999_400, 1_240_000].map(formatShortCount);
    expect(shown).toEqual(["0", "950", "4.1k", "12k", "999k", "1.2M"]);
  });
});

test("a session without a call has no share of the cache to show below", () => {
  const cache = { ...CALM.cache, calls: 0 };
  expect(bottom(linked({ ...CALM, cache }), 200)).not.toContain("%");
  expect(bottom(linked(CALM), 200)).toContain("94%");
});

test("the tokens that were kept are said where there is no price, and the queue only where something waits", () => {
  const said = (money: Partial<typeof CALM.cache.money>) => {
    const cache = { ...CALM.cache, money: { ...CALM.cache.money, ...money } };
    return renderPanelLines(linked({ ...CALM, cache }), NOW_MS, 37)
      .map(toPlainText)
      .join("\n");
  };
  expect(said({ sparedTokens: 81_000 })).toContain("Cache kept for 81k tokens");
  expect(said({ paidUsd: 1, savedUsd: 1, sparedTokens: 81_000 })).not.toContain("kept for");
  expect(said({})).not.toContain("kept for");
  const held = { waiting: 0, unread: 0, unanswered: 0, refused: 1 };
  const quiet = bottom(linked({ ...CALM, inbox: held, notice: "A prompt was refused." }), 200);
  expect(quiet).toContain("! 1 refused: /ctx-resume");
  expect(quiet).not.toContain("held");
  const waits = bottom(linked({ ...CALM, inbox: { ...held, waiting: 2 }, notice: "Wait." }), 200);
  expect(waits).toContain("! 1 refused, 2 held: /ctx-resume");
});
