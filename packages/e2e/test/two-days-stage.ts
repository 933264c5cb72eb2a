// Two days of work in one project: what day one says, shows and decides, and who writes its history.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hostBinary } from "../../../scripts/host-binary.mjs";
import type { Host } from "../src/host/host.ts";
import { MODELS } from "../src/host/models.ts";
import type { CallRecord } from "../src/provider/record.ts";
import { call, type Reply, say } from "../src/provider/reply.ts";
import type { Stage, Talk } from "./conformance/stage.ts";
import { asked } from "./historian-stage.ts";

export const middle = { model: MODELS.middle };

/** Something that day one states once, and how somebody asks for it later. */
export interface StatedFact {
  readonly where: string;
  /** A piece of what was stated; no question holds it. */
  readonly answer: string;
  readonly question: string;
}

export const STATED: readonly StatedFact[] = [
  {
    where: "a command's output",
    answer: "p99 874 ms",
    question: "What was the p99 of the checkout in the load test?",
  },
  {
    where: "a search's hits",
    answer: "src/legacy/vat_rates.ts",
    question: "In which file are the VAT rates of Norway?",
  },
  {
    where: "the user's decision",
    answer: "only prefix the new ones with a year",
    question: "What did we decide about renumbering old invoices?",
  },
  {
    where: "an edit",
    answer: "cartTotalCents",
    question: "What is calcTotal called since we renamed it?",
  },
  {
    where: "an error",
    answer: "E4471",
    question: "Which error code did we get when the ledger database was locked?",
  },
  {
    where: "the address of a page",
    answer: "/pricing/rounding",
    question: "What was the URL of the page about rounding?",
  },
  {
    where: "a page",
    answer: "half to even",
    question: "How does the payment provider round amounts?",
  },
  {
    where: "a subagent's result",
    answer: "session_tokens",
    question: "Which table did the subagent find that has no index?",
  },
  {
    where: "the user's aside",
    answer: "Maren Oltvedt",
    question: "Who is our contact at the bank?",
  },
  {
    where: "the model's reason",
    answer: "two workers raced",
    question: "Why did you add an advisory lock?",
  },
  {
    where: "a file",
    answer: "5433",
    question: "On which port does the staging database listen?",
  },
  {
    where: "a table",
    answer: "7.2.19",
    question: "Which version of fastify is installed?",
  },
  {
    where: "a written file",
    answer: "nightly at 03:15",
    question: "When does the cron job reconcile the ledger?",
  },
  {
    where: "a list of todos",
    answer: "webhook of the courier",
    question: "What was still on the todo list about retries?",
  },
];

const PAGE = `${"An introduction that nobody reads.\n".repeat(80)}Amounts are rounded half to even, per line of the order.\n${"Legal text of the payment provider.\n".repeat(80)}`;

/** The payment provider's page; its address is the provider's own. */
export function servePage() {
  const server = Bun.serve({
    port: 0,
    fetch: () => new Response(PAGE, { headers: { "content-type": "text/plain" } }),
  });
  return { url: `http://127.0.0.1:${server.port}/pricing/rounding`, stop: () => server.stop(true) };
}

const around = (name: string, line: string, lines = 100) =>
  [
    ...Array.from({ length: lines }, (_, n) => `${name}: step ${n} went as planned`),
    line,
    ...Array.from({ length: lines }, (_, n) => `${name}: step ${lines + n} went as planned`),
    "",
  ].join("\n");

const comments = (name: string, lines: number) =>
  Array.from({ length: lines }, (_, n) => `// ${name} ${n}: nothing of interest\n`).join("");

export const FILES = {
  "AGENTS.md": "Answer in short sentences.\n",
  "notes.txt": "A first note.\n",
  "src/cart.ts": `${comments("cart", 30)}export function calcTotal(lines: Line[]) {\n  return lines.reduce((sum, line) => sum + line.cents, 0);\n}\n${comments("more", 30)}`,
  "src/legacy/vat_rates.ts": `${comments("vat", 40)}export const NORWAY = { standard: 25, food: 15 };\n`,
  "config/staging.toml": `${comments("toml", 60)}[database]\nhost = "db.staging.internal"\nport = 5433\n`,
  "logs/load.txt": around("load", "checkout: 320 requests per second, p50 112 ms, p99 874 ms"),
  "logs/ledger.txt": around("ledger", "FATAL E4471: ledger.sqlite: database is locked"),
  "logs/scan.txt": around("scan", "session_tokens: 2,113,400 rows, no index on user_id"),
  "logs/installed.txt": around("package", "| fastify | 7.2.19 | latest 8.0.1 |"),
};

const print = (file: string, description: string): Reply =>
  call("bash", { command: `cat ${file}`, description });

/** A turn of work: the model does this, in this order. */
interface Task {
  readonly prompt: string;
  readonly replies: readonly Reply[];
}

/** The words of the questions stand in every one of these turns, without an answer. */
function dull(turn: number): Task {
  const command = `seq -f 'module ${turn}, line %g: checkout, invoices, ledger, database and cart were checked' 1 160`;
  return {
    prompt: `Task ${turn}: check module ${turn} of the shop.`,
    replies: [
      call("bash", { command, description: `check module ${turn}` }),
      say(`Module ${turn} is right: its part of the checkout and the database needs no change.`),
    ],
  };
}

function telling(folder: string, page: string): readonly Task[] {
  const path = (file: string) => join(folder, file);
  const task = (prompt: string, ...replies: readonly Reply[]): Task => ({ prompt, replies });
  return [
    task(
      "Run the load test.",
      print("logs/load.txt", "load test"),
      say("The load test ran through. The checkout is slow under load."),
    ),
    task(
      "Where are the VAT rates of Norway?",
      call("grep", { pattern: "NORWAY" }),
      say("They are in one of the legacy files."),
    ),
    task(
      "We keep the numbers of old invoices, and only prefix the new ones with a year. Don't renumber anything.",
      say("Understood: nothing is renumbered."),
    ),
    task(
      "Rename the cart's total so that its unit is in its name.",
      call("read", { filePath: path("src/cart.ts") }),
      call("edit", {
        filePath: path("src/cart.ts"),
        oldString: "export function calcTotal(lines: Line[]) {",
        newString: "export function cartTotalCents(lines: Line[]) {",
      }),
      say("The function's name has its unit now."),
    ),
    task(
      "Run the ledger's tests.",
      call("bash", { command: "cat logs/ledger.txt; exit 1", description: "ledger tests" }),
      say("They failed once. I added an advisory lock, because two workers raced for the ledger."),
    ),
    task(
      "See how the payment provider rounds.",
      call("webfetch", { url: page, format: "text" }),
      say("I read their page; we do the same."),
    ),
    task(
      "Have a subagent look for tables without an index.",
      call("task", {
        description: "find tables",
        prompt: "Find tables without an index.",
        subagent_type: "general",
      }),
      say("There is one; we add the index next week."),
    ),
    task(
      "By the way, our contact at the bank is Maren Oltvedt. What else is there to do?",
      call("todowrite", {
        todos: [
          todo("retries for the webhook of the courier", "pending"),
          todo("the load test", "completed"),
        ],
      }),
      say("One thing is open."),
    ),
    task(
      "Look at the staging configuration.",
      call("read", { filePath: path("config/staging.toml") }),
      say("It looks complete."),
    ),
    task(
      "List what is installed.",
      print("logs/installed.txt", "npm ls"),
      say("One package is a major version behind."),
    ),
    task(
      "Write down when the ledger is reconciled.",
      call("write", {
        filePath: path("docs/cron.md"),
        content: "# Cron jobs\n\nThe ledger is reconciled nightly at 03:15 UTC by a cron job.\n",
      }),
      say("It is in the documents."),
    ),
  ];
}

function todo(content: string, status: string) {
  return { content, status, priority: "medium", id: content.slice(0, 8) };
}

const DULL_BETWEEN = 2;
const DULL_AT_END = 6;

/** Forty turns, of which eleven say something that is asked for later. */
export async function workADay(stage: Stage, talk: Talk, page: string): Promise<void> {
  let turn = 0;
  const dullTurns = (count: number) => Array.from({ length: count }, () => dull(++turn));
  const tasks = telling(talk.client.folder, page).flatMap((task) => [
    task,
    ...dullTurns(DULL_BETWEEN),
  ]);
  for (const { prompt, replies } of [...tasks, ...dullTurns(DULL_AT_END)]) {
    if (prompt.includes("subagent")) {
      // In the session of the subagent.
      stage.provider.script.queue(
        print("logs/scan.txt", "scan"),
        say("One table has no index: session_tokens, on user_id."),
      );
    }
    stage.provider.script.queueFor(talk.id, ...replies);
    await talk.say(prompt, middle);
  }
}

export const LEARNT = [
  ["PROJECT_RULES", "Keep the numbers of old invoices, and only prefix the new ones with a year."],
  // Nobody has said so: somebody has to confirm it.
  ["CONSTRAINTS", "The checkout has to answer within a second at 320 requests per second."],
] as const;

/** A batch as a model may write it: a segment per eight messages, and what it found to stay true. */
export function written(record: CallRecord): string {
  const last = [...asked(record).matchAll(/<message id="m(\d+)"/g)].length;
  const segments = [];
  for (let from = 1; from <= last; from += 8) {
    const to = Math.min(from + 7, last);
    segments.push(`<segment from="m${from}" to="m${to}" kind="research" importance="50">
<p1>Modules of the shop were checked one after the other, from m${from} to m${to}, and were right.</p1>
<p2>Modules were checked, m${from} to m${to}.</p2><p3>Modules were checked.</p3><p4>Checks</p4></segment>`);
  }
  const facts = LEARNT.map(
    ([category, text]) => `<fact category="${category}" importance="60">${text}</fact>`,
  );
  return `<history>${[...segments, ...facts].join("\n")}</history>`;
}

/** The host looks for `rg` in the PATH, then in its cache, else downloads it. */
export function provideRipgrep(host: Host): void {
  if (Bun.which("rg") !== null) return;
  const bin = join(host.home.root, ".cache/opencode/bin");
  mkdirSync(bin, { recursive: true });
  const run = `exec env BUN_BE_BUN=1 '${hostBinary()}' '${join(import.meta.dir, "../fixtures/ripgrep.js")}' "$@"`;
  writeFileSync(join(bin, "rg"), `#!/bin/sh\n${run}\n`);
  chmodSync(join(bin, "rg"), 0o755);
}
