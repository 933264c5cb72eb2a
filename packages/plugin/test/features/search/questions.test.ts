import { describe, expect, test } from "bun:test";
import type { HostMessage } from "../../../src/ledger/message.ts";
import { estimateTokens } from "../../../src/ledger/tokens.ts";
import { answers, failed, makeStage, ran, SES, says } from "./stage.ts";

// A session of some sixty turns with facts of every kind among much of the same words: each is found by one
// look-up, in the words of somebody who asks.

/** Lines that hold what the questions are about, and no answer. */
const noise = (turn: number, lines = 120) =>
  Array.from(
    { length: lines },
    (_, n) =>
      `${turn}.${n} checked the database, the queue, the invoices, the deploy and the tests of module ${n}`,
  ).join("\n");

const within = (turn: number, line: string) => `${noise(turn, 60)}\n${line}\n${noise(turn, 60)}`;

/** A file of one line, whose words stand in it again and again. */
const stations = (name: string) =>
  JSON.stringify(
    Array.from({ length: 40 }, (_, n) => ({
      id: `WS-${n + 50}`,
      calibratedBy: n === 27 ? name : "the maker",
    })),
  );

const bash = (command: string, output: string) => ran("bash", { command }, output);
const file = (name: string) => `/work/${name}`;

interface Fact {
  readonly said: readonly HostMessage[];
  readonly question: string;
  readonly answer: string;
}

const FACTS: readonly Fact[] = [
  {
    said: [bash("npm run load", within(1, "p50 112 ms  p99 874 ms  max 2,104 ms"))],
    question: "what was the p99 latency in the load test?",
    answer: "p99 874 ms",
  },
  {
    said: [bash("npm run build", within(2, "dist/checkout.js  184.2 kB gzipped"))],
    question: "How big is the checkout bundle after gzip?",
    answer: "184.2 kB",
  },
  {
    said: [
      ran(
        "grep",
        { pattern: "NORWAY" },
        `Found 1 matches\n${file("src/legacy/vat.ts")}:\n  Line 41: export const NORWAY = 25;`,
      ),
    ],
    question: "where is the VAT of Norway defined?",
    answer: "src/legacy/vat.ts",
  },
  {
    said: [says("We keep the numbers of old invoices; only new ones get a year as prefix.")],
    question: "what did we decide about invoice numbering?",
    answer: "only new ones get a year as prefix",
  },
  {
    said: [
      ran(
        "edit",
        {
          filePath: file("src/cart.ts"),
          oldString: "function calcTotal(",
          newString: "function cartTotalCents(",
        },
        "Edit applied successfully.",
      ),
    ],
    question: "what did we rename calcTotal to?",
    answer: "cartTotalCents",
  },
  {
    said: [
      failed(
        "bash",
        { command: "npm run migrate" },
        "FATAL E4471: ledger.sqlite: database is locked",
      ),
    ],
    question: "which error did the migration fail with?",
    answer: "E4471",
  },
  {
    said: [
      ran(
        "webfetch",
        { url: "https://pay.example/docs/rounding" },
        `${"Legal words.\n".repeat(90)}Amounts are rounded half to even.\n`,
      ),
    ],
    question: "what was the URL of the docs about rounding?",
    answer: "https://pay.example/docs/rounding",
  },
  {
    said: [],
    question: "how does the payment provider's page say amounts get rounded?",
    answer: "half to even",
  },
  {
    said: [
      ran(
        "task",
        { description: "find slow tables", prompt: "Look for tables that have no index." },
        "<task_result>\nsession_tokens has no index on user_id (2,113,400 rows).\n</task_result>",
      ),
    ],
    question: "which table did the subagent say needs an index?",
    answer: "session_tokens",
  },
  {
    said: [says("By the way, our contact at the bank is Maren Oltvedt. Go on.")],
    question: "who's our contact at the bank?",
    answer: "Maren Oltvedt",
  },
  {
    said: [
      answers("I added an advisory lock around the import, because two workers raced for it."),
    ],
    question: "Why did you add the advisory locks?",
    answer: "two workers raced",
  },
  {
    said: [
      ran(
        "read",
        { filePath: file("config/staging.toml") },
        `${noise(11, 60)}\n[database]\nhost = "db.staging.internal"\nport = 5433`,
      ),
    ],
    question: "which port does the staging DB use?",
    answer: "5433",
  },
  {
    said: [bash("npm ls", within(12, "├── fastify@7.2.19"))],
    question: "which version of fastify do we use?",
    answer: "7.2.19",
  },
  {
    said: [
      ran(
        "write",
        {
          filePath: file("docs/cron.md"),
          content: "# Cron\n\nThe ledger is reconciled nightly at 03:15 UTC.",
        },
        "Wrote file successfully.",
      ),
    ],
    question: "at what time does ledger reconciliation run?",
    answer: "03:15 UTC",
  },
  {
    said: [
      bash("git log --oneline -5", within(14, "9f3c2ab Revert the retry budget of the courier")),
    ],
    question: "what was the commit that reverted the retry budget?",
    answer: "9f3c2ab",
  },
  {
    said: [says("Never touch the schema of the billing database without asking Priya first.")],
    question: "whom do we have to ask before changing the billing schema?",
    answer: "Priya",
  },
  {
    said: [
      answers("I went with exponential backoff, capped at 90 s; a fixed delay hammered the API."),
    ],
    question: "what is the cap of the backoff we chose?",
    answer: "capped at 90 s",
  },
  {
    said: [bash("psql -c 'select …'", within(17, " eu-north | 12 | 48213 | 0.4 %"))],
    question: "how many rows did eu-north have in that table?",
    answer: "48213",
  },
  {
    said: [ran("glob", { pattern: "**/*.snap" }, file("test/__snapshots__/invoice.pdf.snap"))],
    question: "is there a snapshot for the invoice PDF?",
    answer: "invoice.pdf.snap",
  },
  {
    said: [
      ran(
        "desk_issue",
        { id: "4711" },
        '{"component": "webhooks", "assignee": "Tobias Renn", "state": "open"}',
      ),
    ],
    question: "who is assigned to the webhooks issue?",
    answer: "Tobias Renn",
  },
  {
    said: [bash("env | sort", within(20, "PAYMENT_GATEWAY_TIMEOUT_MS=31000"))],
    question: "what is the payment gateway timeout set to?",
    answer: "31000",
  },
  {
    said: [
      bash(
        "npm test",
        within(21, "✗ parseAmount › rounds negative amounts down (expected -3, got -2)"),
      ),
    ],
    question: "which test failed with negative amounts?",
    answer: "parseAmount",
  },
  {
    said: [
      bash(
        "npm run timings",
        Array.from({ length: 300 }, (_, n) => `module ${n}: took ${(n * 7_919) % 1_000} ms`).join(
          "\n",
        ),
      ),
    ],
    question: "how many ms did module 57 take in the timings?",
    answer: "module 57: took 383 ms",
  },
  {
    said: [
      ran(
        "read",
        { filePath: file("src/gateway.ts") },
        within(23, "const gatewayTimeoutMs = 31_500;"),
      ),
    ],
    question: "what's the timeout of the gateway in the code?",
    answer: "31_500",
  },
  {
    said: [bash("wc -l data.csv", within(24, "data.csv has 2,113,400 lines"))],
    question: "which file had 2113400 lines?",
    answer: "data.csv",
  },
  {
    said: [
      answers("The flaky login test waits for the animation now; before, it clicked too early."),
    ],
    question:
      "Earlier in this session we looked into a login test that was flaky, I believe it was about clicking; before I write the summary, tell me what the reason was and what you changed about it",
    answer: "it clicked too early",
  },
  {
    said: [says("Der Server für Tests heißt kormoran-3, bitte nur den nehmen.")],
    question: "Wie heißt der Server für die Tests?",
    answer: "kormoran-3",
  },
  {
    said: [
      bash(
        "cat ci.log",
        within(
          27,
          "step 14 of 20: publish-artifacts  ✗ 403 Forbidden (token without scope write:packages)",
        ),
      ),
    ],
    question: "why did publishing the artifacts fail in CI?",
    answer: "write:packages",
  },
  {
    said: [
      bash(
        "kubectl get pods",
        within(28, "courier-6d9f8b7c4-x2v9k   0/1   CrashLoopBackOff   17   41m"),
      ),
    ],
    question: "how often has the courier pod restarted?",
    answer: "CrashLoopBackOff   17",
  },
  {
    said: [says("Use the feature flag ff_billing_new_totals for this, off by default.")],
    question: "what's the name of the billing feature flag?",
    answer: "ff_billing_new_totals",
  },
  {
    said: [ran("read", { filePath: file("stations.json") }, stations("Zofia Marchetti"))],
    question: "who calibrated station WS-77?",
    answer: "Zofia Marchetti",
  },
];

describe("one look-up answers", () => {
  const { recall, add } = makeStage();
  const session = Array.from({ length: 2 * FACTS.length }, (_, turn) => [
    says(`Task ${turn}: check module ${turn}, its database, its queue and its tests.`),
    ...(turn % 2 === 0 ? (FACTS[turn / 2]?.said ?? []) : []),
    bash(`npm run check -- ${turn}`, noise(turn)),
    answers(`Module ${turn} is right: the database, the deploy and the tests need no change.`),
  ]).flat();
  add(session);

  for (const { question, answer } of FACTS) {
    test(question, async () => {
      const found = await recall.search(SES, question, "session");
      expect(found).toContain(answer);
      expect(estimateTokens(found)).toBeLessThanOrEqual(1_500);
    });
  }
});
