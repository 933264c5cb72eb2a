// A row for each host that played: its bill, what it rewrote and why, and how full it got.
import { tokens } from "../../demo/show.ts";
import type { Column } from "../../terminal/table.ts";
import type { Tally } from "./tally.ts";

export const SIDE_COLUMNS: readonly Column[] = [
  { title: "host with", align: "left" },
  { title: "bill", align: "right" },
  { title: "calls", align: "right" },
  { title: "rewrites", align: "left" },
  { title: "regret", align: "right" },
  { title: "compactions", align: "right" },
  { title: "peak", align: "right" },
  { title: "refused as too long", align: "right" },
];

export function sideRow({ side, tally }: { readonly side: string; readonly tally: Tally }) {
  return [
    side,
    tokens(tally.bill),
    String(tally.calls),
    rewritesIn(tally),
    tally.regretTokens === null ? "" : tokens(tally.regretTokens),
    String(tally.compactions),
    tokens(tally.peakTokens),
    String(tally.tooLong),
  ];
}

/** By the plugin's own reasons where it gives them, else by what is seen in the requests. */
export function rewritesIn({ rewrites, reasons }: Tally): string {
  const given = Object.keys(reasons).length > 0 ? reasons : rewrites;
  const counts = Object.entries(given).filter(([, count]) => count > 0);
  return counts.length === 0
    ? "none"
    : counts.map(([name, count]) => `${count} ${name}`).join(", ");
}
