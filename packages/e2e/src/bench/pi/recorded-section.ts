// What recorded sessions cost on Pi, as a section: each group of them with its own table and mean.
import { listSteps, type RecordedSession } from "../../../../cli/src/simulation/recorded.ts";
import { type Column, markdownTable } from "../../terminal/table.ts";
import { takeSample } from "../real/sample.ts";
import { USUAL } from "../real/section.ts";
import { mean, total } from "../real/sums.ts";
import { atMost, type Section } from "../section.ts";

const LIMIT = 0.45;

const COLUMNS: readonly Column[] = [
  { title: "session", align: "left" },
  { title: "made with", align: "left" },
  ...["steps", "stock Pi's bill", "bill", "÷ stock Pi", "asked again per 100 steps"].map(
    (title): Column => ({ title, align: "right" }),
  ),
];

const CHOICE =
  "Chosen by length alone: of each harness the session with the median number of steps, and of Claude Code, which made half of the records, the one at the upper quartile, too.";

const SHORT = "Six of the shortest, which the section on OpenCode plays, too.";

const METHOD =
  "The sessions of the section on recorded sessions, replayed the same way on the real Pi in a window of 200,000 tokens, by a model without system messages in mid-conversation: words made up to size, the record's clock, tools that give the recorded results, and a model that asks again for what a step uses and the request no longer holds. Pi's cache warming and summaries by a model are off.";

export interface Figures {
  /** In tokens at the price of uncached input. */
  readonly bill: number;
  /** The number of results that the model asked for again. */
  readonly askedAgain: number;
  /** Calls beyond the window. */
  readonly tooLong: number;
}

export interface Pair {
  readonly recorded: RecordedSession;
  readonly stock: Figures;
  readonly ours: Figures;
}

/** Sessions of one table. */
export interface Group {
  readonly about: string;
  readonly sessions: readonly RecordedSession[];
}

/** The first has the target. */
export function groupSessions(
  all: readonly RecordedSession[],
  wanted: readonly string[],
): readonly [Group, ...Group[]] {
  const named = (names: readonly string[]) => all.filter(({ session }) => names.includes(session));
  const chosen = { about: CHOICE, sessions: takeSample(all) };
  const short = { about: SHORT, sessions: named(USUAL) };
  if (wanted.includes("all")) return [chosen, short, { about: "All of them.", sessions: all }];
  return wanted.length > 0
    ? [{ about: "As asked for.", sessions: named(wanted) }]
    : [chosen, short];
}

export function buildSection(
  [first, ...others]: readonly [Group, ...Group[]],
  pairs: readonly Pair[],
): Section {
  const of = ({ sessions }: Group) => pairs.filter(({ recorded }) => sessions.includes(recorded));
  const tables = [first, ...others].flatMap((group) => {
    const said = `${group.about} Bill ÷ stock Pi in the mean: ${meanShare(of(group)).toFixed(3)}.`;
    return [said, markdownTable(COLUMNS, of(group).map(formatRow))];
  });
  const share = meanShare(of(first));
  const tooLong = total(pairs.map(({ ours }) => ours.tooLong));
  return {
    name: "pi-recorded",
    title: "Pi: recorded sessions of real models",
    body: [...tables, METHOD].join("\n\n"),
    verdicts: [
      atMost(`bill ÷ stock Pi, mean: at most ${LIMIT}`, share, LIMIT, share.toFixed(3)),
      atMost("no call beyond the window", tooLong, 0, String(tooLong)),
    ],
  };
}

function meanShare(pairs: readonly Pair[]): number {
  return mean(pairs.map(billShare));
}

function billShare({ ours, stock }: Pair): number {
  return ours.bill / stock.bill;
}

export function formatRow(pair: Pair): readonly string[] {
  const { recorded, stock, ours } = pair;
  const steps = listSteps(recorded).length;
  const whole = (value: number) => Math.round(value).toLocaleString("en-US");
  return [
    recorded.session,
    recorded.harness,
    String(steps),
    whole(stock.bill),
    whole(ours.bill),
    billShare(pair).toFixed(3),
    ((100 * ours.askedAgain) / steps).toFixed(1),
  ];
}
