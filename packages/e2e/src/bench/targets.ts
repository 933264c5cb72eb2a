// The benchmarks, in the page's order, and the project's targets for each.

/**
 * A benchmark is a name here and a function in `main.ts`. The targets are written as the page has them:
 * what measures says whether they are met, and a target that changes here is measured again.
 */
export const TARGETS = {
  bill: [
    "bill ÷ ideal at most 1.005 in steady",
    "bill ÷ ideal at most 1.005 in edits",
    "bill ÷ ideal at most 1.005 in restarts",
    "bill ÷ ideal at most 1.005 in plan",
    "bill ÷ ideal at most 1.005 in news",
    "bill ÷ ideal at most 1.02 in switches",
    "bill ÷ ideal at most 1.02 in breaks",
    "bill ÷ ideal at most 1.02 in day",
    "default settings: bill ÷ ideal at most 1.005 in steady, edits, restarts, plan, news",
    "default settings: bill ÷ ideal at most 1.02 in switches, breaks, day",
    "a second project's first turn reads more than half of its tokens from the cache",
    "a first request at most 100 tokens larger",
  ],
  estimate: [
    "200 sessions of 300 calls: at most 60 s of computing, 30 s of two cores",
    "at most 1000 MB of memory",
  ],
  "history-60k": [
    "all 42 answered right",
    "all 8 about words of the user or of a closing answer from context",
    "a right answer costs at most 45,000",
    "no compaction by the host",
    "no call beyond the window",
    "no turn without an answer",
  ],
  "history-200k": [
    "all 28 answered right",
    "all 5 about words of the user or of a closing answer from context",
    "a right answer costs at most 90,000",
    "no compaction by the host",
    "no call beyond the window",
    "no turn without an answer",
  ],
  "history-turn": [
    "a bill of at most 50.0 % of stock's",
    "no compaction by the host",
    "no call beyond the window",
    "no turn without an answer",
  ],
  "history-1m": [
    "a bill of at most 20.0 % of stock's",
    "no compaction by the host",
    "no call beyond the window",
    "no turn without an answer",
  ],
  "history-small": [
    "a bill of at most 70.0 % of stock's",
    "no compaction by the host",
    "no call beyond the window",
    "no turn without an answer",
  ],
  "history-small-full": [
    "a bill of at most 70.0 % of stock's",
    "no compaction by the host",
    "no call beyond the window",
    "no turn without an answer",
  ],
  "history-rereading": [
    "a bill of at most 105.0 % of stock's",
    "no compaction by the host",
    "no call beyond the window",
    "no turn without an answer",
  ],
  "history-rereading-all": [
    "a bill of at most 105.0 % of stock's",
    "no compaction by the host",
    "no call beyond the window",
    "no turn without an answer",
  ],
  "history-hardships": [
    "tools never called: a bill no larger than stock's",
    "tools denied: a bill no larger than stock's",
    "tools denied: at least as many right answers as stock",
    "kills and restarts: all 14 answered right",
    "kills and restarts: a right answer costs at most 45,000",
    "this plugin: no compaction, no call beyond the window, no turn without an answer",
    "this plugin, tools never called: no compaction, no call beyond the window, no turn without an answer",
    "this plugin, tools denied: no compaction, no call beyond the window, no turn without an answer",
    "this plugin, kills and restarts: no compaction, no call beyond the window, no turn without an answer",
  ],
  "history-historian": [
    "the historian costs at most 12.0 % of the bill",
    "more is answered from the context than with extracts",
    "a right answer costs at most 5 % more than with extracts",
  ],
  "history-short": [
    "bill ÷ ideal at most 1.01",
    "a first request at most 450 tokens larger than stock's, all on",
  ],
  "history-pass": [
    "p50 at 300 messages at most 1.5 ms",
    "p50 at 1000 messages at most 3 ms",
    "p50 at 5000 messages at most 8 ms",
  ],
  memory: [
    "SQLite: search 5000 memories (p50) in at most 20 ms",
    "SQLite: a call with 5000 memories, unchanged in at most 0.1 ms",
    "SQLite: search 10000 memories (p50) in at most 20 ms",
    "SQLite: a call with 10000 memories, unchanged in at most 0.1 ms",
    "a team's copy: search 5000 memories (p50) in at most 20 ms",
    "a team's copy: a call with 5000 memories, unchanged in at most 0.1 ms",
    "a team's copy: search 10000 memories (p50) in at most 20 ms",
    "a team's copy: a call with 10000 memories, unchanged in at most 0.1 ms",
    "scan 50,000 vectors of 1,024 (p50) in at most 40 ms",
    "index 100,000 commits in at most 60000 ms",
    "a pass with memories in the Baseline, over one without (p50) in at most 0.2 ms",
    "a pass after memories came by an update, over one without (p50) in at most 0.2 ms",
  ],
  pass: [
    "p50 per pass at 300 messages at most 1 ms",
    "p50 per pass at 1000 messages at most 4 ms",
    "no slow first pass: at 3000 messages the slowest after a restart at most 500 ms",
  ],
  pi: [
    "bill ÷ ideal at most 1.005 in steady",
    "bill ÷ ideal at most 1.005 in edits",
    "bill ÷ ideal at most 1.005 in restarts with edits",
    "bill ÷ ideal at most 1.005 in kills with edits",
    "bill ÷ ideal at most 1.005 in a new skill",
    "bill ÷ ideal at most 1.005 in a fork after an edit",
    "bill ÷ ideal at most 1.005 in a move in the tree",
    "a first request at most 500 tokens larger",
  ],
  "pi-long": [
    "all 42 answered right",
    "no compaction by the host",
    "no call beyond the window",
    "no turn without an answer",
  ],
  "pi-recorded": ["bill ÷ stock Pi, mean: at most 0.45", "no call beyond the window"],
  "pi-pass": ["p50 of a pass at 300 messages at most 1.5 ms", "a start of at most 40 ms"],
  real: [
    "bill ÷ stock, mean: at most 0.41",
    "bill ÷ stock, in sum: at most 0.355",
    "bill ÷ stock, worst session: at most 0.75",
    "bill ÷ stock in a window of 60,000, mean: at most 0.63",
    "compactions and refused calls there: at most 0",
    "bill ÷ bound, mean: at most 2",
    "asked again per 100 steps, mean: at most 8",
    "asked again per 100 steps, worst session: at most 18",
    "asked again per 100 steps in a window of 60,000, mean: at most 11",
    "rewrites per 100 calls: at most 6",
    "earlier prompts whole, in each call: at least 100.0 %",
    "earlier prompts whole, in each call in a window of 60,000: at least 100.0 %",
    "lines of closing answers, mean: at least 75.0 %",
    "lines of closing answers in a window of 60,000, mean: at least 70.0 %",
    "simulation against host: at most 0.02",
    "estimate of what was paid, against the bill: at most 0.001",
    "estimate with the plugin, against the bill: at most 0.05",
  ],
  "real-records": ["bill ÷ bound of any harness, against all others: at most 1.25 times"],
  recall: [
    "search at most 15 ms (p50)",
    "search at most 60 ms (p99)",
    "indexing at most 3 ms a message (p50)",
    "an index of at most 1.6 times the text",
  ],
  sessions: ["p50 per pass with 20 sessions at once at most 1.5 times that of one"],
  standing: [
    "window of 60,000, at its moment: all 24",
    "window of 60,000, after a restart: all 24",
    "window of 60,000, in a fork: all 24",
    "window of 60,000, after a compaction: all 24",
    "window of 60,000: every turn is answered, none is too long",
    "window of 200,000, at its moment: all 24",
    "window of 200,000, after a restart: all 24",
    "window of 200,000, in a fork: all 24",
    "window of 200,000, after a compaction: all 24",
    "window of 200,000: every turn is answered, none is too long",
  ],
  start: [
    "import and initialisation of the built plugin in the host under 60 ms, median of 20 starts",
  ],
  store: [],
  tui: [
    "an update under 5 ms, median",
    "the median of 30 turns differs by less than 2 % with the sidebar",
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type SectionName = keyof typeof TARGETS;

export const SECTION_NAMES = Object.keys(TARGETS) as readonly SectionName[];

const BESIDE_HISTORY: readonly SectionName[] = [
  ...(["bill", "estimate", "pi-long", "pi-recorded", "real", "real-records", "standing"] as const),
];

/** Whether its figures are those of history's policy. */
export function measuresHistory(name: SectionName): boolean {
  return name.startsWith("history-") || BESIDE_HISTORY.includes(name);
}
