// Facts of every kind, each with lines of the same form that are about something else.
import type { Dice } from "./dice.ts";
import type { Fact, FactKind } from "./session-script.ts";

/** A fact, and others of its form: a look-up has to keep them apart. */
export interface FactForm {
  readonly fact: Fact;
  readonly similar: (dice: Dice) => string;
}

interface Form {
  readonly line: (subject: string, value: string) => string;
  readonly value: (dice: Dice) => string;
  /** What a similar line says where this one has its value. */
  readonly other: (dice: Dice) => string;
  readonly question: (subject: string) => string;
}

const small = (dice: Dice) => String(dice.from(100, 9_999));
const lower = (subject: string) => subject.toLowerCase();

const FORMS: Readonly<Record<FactKind, readonly [Form, ...Form[]]>> = {
  output: [
    {
      line: (subject, value) => `queue ${lower(subject)}: drained ${value} messages in 41 s`,
      value: (dice) => dice.figure(),
      other: small,
      question: (subject) => `How many messages were drained from the queue ${lower(subject)}?`,
    },
    {
      line: (subject, value) => `  bundle ${lower(subject)}.js   ${value} bytes gzipped`,
      value: (dice) => dice.figure(),
      other: small,
      question: (subject) => `How big was the bundle of ${subject} when it was gzipped?`,
    },
    {
      line: (subject, value) => `applied 0071_${lower(subject)}.sql  checksum ${value}`,
      value: (dice) => dice.digest(),
      other: (dice) => dice.digest(),
      question: (subject) => `Which checksum did the ${lower(subject)} migration have?`,
    },
  ],
  file: [
    {
      line: (subject, value) => `export const ${lower(subject)}RetryBudgetMs = ${value};`,
      value: (dice) => dice.figure(),
      other: small,
      question: (subject) => `What is the retry budget of ${subject} in the code, in ms?`,
    },
    {
      line: (subject, value) => `  // ${subject} is handled elsewhere since ticket OPS-${value}.`,
      value: (dice) => dice.figure(),
      other: small,
      question: (subject) => `Which ticket does the comment about ${subject} name?`,
    },
    {
      line: (subject, value) => `  { host: "${lower(subject)}.internal", port: ${value} },`,
      value: (dice) => dice.figure(),
      other: small,
      question: (subject) => `On which port does the host ${lower(subject)} listen?`,
    },
  ],
  error: [
    {
      line: (subject, value) => `error E${value}: ${lower(subject)} refused the handshake`,
      value: (dice) => dice.figure(),
      other: small,
      question: (subject) =>
        `With which error code did ${lower(subject)} refuse the handshake? I need it for the report.`,
    },
    {
      line: (subject, value) => `FATAL ${value} while opening ${lower(subject)}.sqlite`,
      value: (dice) => dice.codename(),
      other: (dice) => dice.codename(),
      question: (subject) => `What was the fatal code when ${lower(subject)}.sqlite was opened?`,
    },
  ],
  table: [
    {
      line: (subject, value) => `| ${subject} | 12 | ${value} | 0.4 % |`,
      value: (dice) => dice.figure(),
      other: small,
      question: (subject) => `How many requests did ${subject} have in that table of regions?`,
    },
    {
      line: (subject, value) =>
        `${lower(subject).padEnd(24)} ${value.padStart(9)}      7.1      0.2`,
      value: (dice) => dice.figure(),
      other: small,
      question: (subject) => `In the latency table, what figure had the service ${lower(subject)}?`,
    },
  ],
  grep: [
    {
      line: (subject, value) => `register("${lower(subject)}.reopened", ${value});`,
      value: (dice) => dice.figure(),
      other: small,
      question: (subject) => `Under which number is ${lower(subject)}.reopened registered?`,
    },
  ],
  mcp: [
    {
      line: (subject, value) => `"component": "${lower(subject)}", "assignee": "${value}"`,
      value: (dice) => dice.person(),
      other: (dice) => dice.person(),
      question: (subject) => `Who is the assignee of the issue about ${lower(subject)}?`,
    },
    {
      line: (subject, value) => `"customer": "${subject}", "contract": "C-${value}"`,
      value: (dice) => dice.figure(),
      other: small,
      question: (subject) => `What is the contract number of the customer ${subject}?`,
    },
  ],
  user: [
    {
      line: (subject, value) => `By the way, our contact for ${subject} is ${value}.`,
      value: (dice) => dice.person(),
      other: (dice) => dice.person(),
      question: (subject) => `Who did I say is our contact for ${subject}?`,
    },
    {
      line: (subject, value) => `Keep in mind that ${subject} may get ${value} rows at most.`,
      value: (dice) => dice.figure(),
      other: small,
      question: (subject) => `How many rows did I allow ${subject}?`,
    },
    {
      line: (subject, value) => `The release for ${subject} is called ${value}.`,
      value: (dice) => dice.codename(),
      other: (dice) => dice.codename(),
      question: (subject) => `What name did I give the release for ${subject}?`,
    },
  ],
  decision: [
    {
      line: (subject, value) =>
        `I decided to give ${subject} the advisory lock ${value}, because two workers raced for it.`,
      value: (dice) => dice.figure(),
      other: small,
      question: (subject) => `Which advisory lock did you choose for ${subject}?`,
    },
    {
      line: (subject, value) =>
        `For ${subject} I went with the ${value} layout; the other one needs a table scan.`,
      value: (dice) => dice.codename(),
      other: (dice) => dice.codename(),
      question: (subject) => `Which layout did you go with for ${subject}, and why?`,
    },
    {
      line: (subject, value) => `${subject} now times out after ${value} ms.`,
      value: (dice) => dice.figure(),
      other: small,
      question: (subject) => `After how many ms does ${subject} time out since your change?`,
    },
  ],
};

export function drawFact(kind: FactKind, dice: Dice): FactForm {
  const form = dice.pick(FORMS[kind]);
  const subject = dice.name();
  const answer = form.value(dice);
  const question = form.question(subject);
  const query = composeQuery(question, subject, dice);
  return {
    fact: { kind, answer, question, query, line: form.line(subject, answer) },
    similar: (other) => form.line(other.name(), form.other(other)),
  };
}

const COMMON = new Set(
  "a about after and at did does for from had have how i in is it its me my of on our that the they to under was were what when where which who why with you your".split(
    " ",
  ),
);

/** As models ask: the whole question, its distinctive words, or the subject and two more of them. */
function composeQuery(question: string, subject: string, dice: Dice): string {
  const words = question.replace(/[?,]|\.(?=\s|$)/g, "").split(/\s+/);
  const telling = words.filter((word) => !COMMON.has(word.toLowerCase()));
  const isSubject = (word: string) => word.toLowerCase().includes(lower(subject));
  const style = dice.pick<"question" | "words" | "subject">(["question", "words", "subject"]);
  switch (style) {
    case "question":
      return question;
    case "words":
      return telling.join(" ");
    case "subject": {
      const others = dice.shuffled(telling.filter((word) => !isSubject(word))).slice(0, 2);
      return [...telling.filter(isSubject), ...others].join(" ");
    }
  }
}
