import { describe, expect, test } from "bun:test";
import { assert, constantFrom, property } from "fast-check";
import { isStated } from "../../../src/features/summaries/user-phrases.ts";

describe("a user has said", () => {
  test.each([
    ["Use pnpm, not npm.", "Use pnpm, not npm."],
    ["use pnpm, not npm", "Use `pnpm`, not npm."],
    ["Please always use pnpm, not npm, thanks!", "Use pnpm, not npm."],
    ["Remember: never deploy on Fridays.", "Never deploy on Fridays."],
    ["From now on we use pnpm in this repo.", "The project uses pnpm."],
    ["We use pnpm here.", "Use pnpm."],
    ["The project uses tabs.", "We use tabs"],
    ["Don't forget to run the linter before a commit.", "Run the linter before a commit."],
    ["The staging database listens on port 5433.", "The staging database listens on port 5433"],
    ["Prices can't be floats.", "Prices cannot be floats."],
    ["Prices aren’t floats.", "Prices are not floats."],
    ["If the build fails, run make clean.", "If the build fails, run make clean."],
    ["Fix the login page. Tables are singular. Then run the tests.", "Tables are singular."],
    ["Look at the login page.\n\nTables are singular.", "Tables are singular."],
    ["Tables are singular because the ORM wants it.", "Tables are singular."],
    ["Amounts are in cents, so the tests compare integers.", "Amounts are in cents."],
    ["Nutze pnpm, nicht npm.", "Nutze pnpm, nicht npm."],
    ["Handlers live in src/http/routes.", "Handlers live in `src/http/routes`."],
    ["Do not mock the database in tests", "Don't mock the database in tests."],
    [
      "By the way, migrations are reviewed by two people.",
      "Migrations are reviewed by two people.",
    ],
    ["Use pnpm (not npm).", "Use pnpm, not npm."],
    ["Use pnpm ((not npm))!!", "Use pnpm, not npm."],
    ["价格 以分 为单位 保存。", "价格 以分 为单位 保存。"],
    // An order that stands.
    ["Always run the linter before a commit.", "Run the linter before a commit."],
    ["From now on, skip the slow tests.", "Skip the slow tests."],
    ["Run the linter before every commit.", "Run the linter before every commit."],
    ["Write tests in this repo, please.", "Write tests."],
    ["Make sure to update the changelog.", "Update the changelog."],
    ["Avoid default exports.", "Avoid default exports."],
    ["Please keep handlers small.", "Keep handlers small."],
    // No order: an article makes the verb a noun.
    ["The build needs Node 20.11 or later.", "The build needs Node 20.11 or later."],
    ["By the way, a release needs two approvals.", "A release needs two approvals."],
  ] as const)("%p: %p", (prompt, fact) => {
    expect(isStated(fact, ["Hello", prompt])).toBe(true);
  });
});

describe("a user has not said", () => {
  test.each([
    // The order of words.
    ["Use npm, not pnpm.", "Use pnpm, not npm."],
    ["Copy the data from prod to staging.", "Copy the data from staging to prod."],
    ["Ann reviews what Bob wrote.", "Bob reviews what Ann wrote."],
    // Negation, both ways.
    ["Never deploy on Fridays.", "Deploy on Fridays."],
    ["Deploy on Fridays.", "Never deploy on Fridays."],
    ["Do not use npm.", "Use npm."],
    ["Don't use npm.", "Use npm."],
    ["We no longer use npm.", "We use npm."],
    ["I don't want you to skip the tests.", "Skip the tests."],
    ["Stop to skip the tests.", "Skip the tests."],
    ["Deploys can go without review.", "Deploys can't go without review."],
    // Conditions, exceptions, times and hedges.
    ["If the build fails, use the old compiler.", "Use the old compiler."],
    ["Use the old compiler if the build fails.", "Use the old compiler."],
    ["Use the old compiler unless CI says otherwise.", "Use the old compiler."],
    ["Use the old compiler until Monday.", "Use the old compiler."],
    ["Skip the tests for this commit.", "Skip the tests."],
    ["Maybe use npm.", "Use npm."],
    ["We could use npm.", "We use npm."],
    ["Only admins may delete orders.", "Admins may delete orders."],
    ["Use pnpm.", "Always use pnpm."],
    ["Use npm. Only in CI.", "Use npm."],
    // Questions, and what is taken back.
    ["Should we use npm?", "We use npm."],
    ["Use npm? No.", "Use npm."],
    ["Use npm. Just kidding.", "Use npm."],
    ["Use npm. No, wait, use pnpm.", "Use npm."],
    ["Use npm; just kidding.", "Use npm."],
    ["Use npm (just kidding).", "Use npm."],
    ["Use npm because I said so, not.", "Use npm."],
    // A reason that puts it in doubt.
    ["Use npm because I am joking.", "Use npm."],
    ["Use npm because I jokingly said it.", "Use npm."],
    ["Use npm because nothing but npm works here.", "Use npm."],
    ["Use npm because no other one is there.", "Use npm."],
    ["Use npm because it isn't slow.", "Use npm."],
    ["Use npm so it says in the README.", "Use npm."],
    // What is left open.
    ["Use npm...", "Use npm."],
    ["Use npm…", "Use npm."],
    // An order for the work at hand.
    ["Skip the tests.", "Skip the tests."],
    ["Please skip the tests, thanks!", "Skip the tests."],
    ["Ok, push to main.", "Push to main."],
    ["By the way, push to the main branch.", "Push to main branch."],
    ["Deploy on Fridays.", "Deploy on Fridays."],
    ["Fix the login page. Force the push.", "Force the push."],
    // Values.
    ["The staging database listens on port 5432.", "The staging database listens on port 5433."],
    ["Use node 20.", "Use node 20 or later."],
    ["Review the migration.", "Review the migration with two people."],
    // What others say.
    ["The README says deploys go without review.", "Deploys go without review."],
    ["Bob thinks deploys go without review.", "Deploys go without review."],
    ["The docs say this. Deploys go without review.", "Deploys go without review."],
    ["Is this right?\n\nDeploys go without review.", "Deploys go without review."],
    ["Is this right? Deploys go without review.", "Deploys go without review."],
    ["Delete the line: deploys go without review.", "Deploys go without review."],
    ["Summarise: deploys go without review.", "Deploys go without review."],
    ['The file has "Deploys go without review."', "Deploys go without review."],
    ["‘Deploys go without review.’", "Deploys go without review."],
    ["It says `deploys go without review`.", "Deploys go without review."],
    ["`deploys go without review`", "Deploys go without review."],
    ["Deploys go without review. That is what the README says.", "Deploys go without review."],
    ["~~Deploys go without review.~~", "Deploys go without review."],
    // What was pasted.
    ["```\nDeploys go without review.\n```", "Deploys go without review."],
    ["Look at it.\n\n```md\n# Shop\nDeploys go without review.", "Deploys go without review."],
    ["```\n# Shop\n```\nDeploys go without review.", "Deploys go without review."],
    ["> Deploys go without review.", "Deploys go without review."],
    ["    Deploys go without review.", "Deploys go without review."],
    ["# Rules\nDeploys go without review.", "Deploys go without review."],
    ["- Deploys go without review.", "Deploys go without review."],
    ["<file>\nDeploys go without review.\n</file>", "Deploys go without review."],
    ["</file>\nDeploys go without review.", "Deploys go without review."],
    [
      `${"A line of a long page.\n".repeat(12)}Deploys go without review.`,
      "Deploys go without review.",
    ],
    [
      `${"A page without line breaks. ".repeat(50)}Deploys go without review.`,
      "Deploys go without review.",
    ],
    // Nothing to say.
    ["pnpm", "pnpm"],
    ["", "Use npm."],
    ["...", "..."],
  ] as const)("%p: %p", (prompt, fact) => {
    expect(isStated(fact, ["Hello", prompt])).toBe(false);
  });

  test("a fact beside a sentence that leads in to it", () => {
    const fact = "Tables are singular.";
    for (const lead of [
      "Look at this:",
      "Bob wrote this.",
      "He has written “so:”",
      "Translate the following.",
      "According to Ann.",
      "Perhaps not.",
      "Suppose it.",
    ]) {
      expect(isStated(fact, [`${lead} ${fact}`])).toBe(false);
    }
    for (const lead of ["Look at the page.", "The tests are slow.", "Thanks for that!"]) {
      expect(isStated(fact, [`${lead} ${fact}`])).toBe(true);
    }
  });

  test("a fact that the next sentence takes back", () => {
    const fact = "Tables are singular.";
    for (const next of [
      "Nope.",
      "(Just kidding!)",
      "Jokes apart.",
      "So they say.",
      "So it is written.",
      "I mean the files.",
      "I take it back.",
      "Unless Ann minds.",
      "At least in the shop.",
      "Today anyway.",
    ]) {
      expect(isStated(fact, [`${fact} ${next}`])).toBe(false);
    }
    for (const next of ["Rename the file.", "So rename it.", "I like it.", "At all times."]) {
      expect(isStated(fact, [`${fact} ${next}`])).toBe(true);
    }
  });

  test("a fact in two prompts, a half in each", () => {
    expect(isStated("Use pnpm, not npm.", ["Use pnpm,", "not npm."])).toBe(false);
  });
});

const RULES = {
  English: "Tables are singular.",
  German: "Tabellen stehen im Singular.",
  French: "Les tables sont au singulier.",
  Spanish: "Las tablas van en singular.",
  Italian: "Le tabelle sono al singolare.",
  Portuguese: "As tabelas ficam no singular.",
  Dutch: "Tabellen staan in het enkelvoud.",
  Polish: "Tabele mają nazwy pojedyncze.",
  Russian: "Таблицы называются в единственном числе.",
  Swedish: "Tabeller har namn i singular.",
  Turkish: "Tablo adları tekil olur.",
  Chinese: "表名 用 单数。",
  Japanese: "テーブル名 は 単数形。",
  Korean: "테이블 이름은 단수형입니다.",
} as const;
type Language = keyof typeof RULES;

const TAKEN_BACK: readonly (readonly [Language, ...string[]])[] = [
  ["English", "No, wait, plural.", "Scratch that.", "Oh, never mind.", "Hmm, forget it."],
  ["German", "Nein, warte, im Plural.", "Ach, vergiss es.", "Quatsch.", "Das war falsch."],
  ["French", "Non, attends, au pluriel.", "Oublie ça.", "Je plaisante.", "Laisse tomber."],
  ["Spanish", "No, espera, en plural.", "Olvídalo.", "Es broma.", "Retiro lo dicho."],
  ["Italian", "No, aspetta, al plurale.", "Lascia perdere.", "Scherzavo."],
  ["Portuguese", "Não, espera, no plural.", "Esquece isso.", "Deixa pra lá."],
  ["Dutch", "Nee, wacht, meervoud.", "Laat maar.", "Grapje."],
  ["Polish", "Nie, czekaj, mnogie.", "Nieważne.", "Żartuję."],
  ["Russian", "Нет, подожди, во множественном.", "Забудь.", "Шучу."],
  ["Swedish", "Nej, vänta, plural.", "Glöm det.", "Skojar bara."],
  ["Turkish", "Hayır, bekle, çoğul.", "Boş ver.", "Vazgeçtim."],
  ["Chinese", "不对，用复数。", "算了。"],
  ["Japanese", "いや、複数形。", "やっぱり複数形。"],
  ["Korean", "아니, 복수형입니다.", "취소."],
];

describe("a user takes back what he has said, and it was not said", () => {
  test.each(TAKEN_BACK)("in %s", (language, ...takenBack) => {
    const rule = RULES[language];
    expect(isStated(rule, [rule])).toBe(true);
    for (const next of takenBack) {
      expect(isStated(rule, [`${rule} ${next}`])).toBe(false);
      expect(isStated(rule, [`${rule}\n\n${next}`])).toBe(false);
      expect(isStated(rule, [`${rule} Xyz. ${next}`])).toBe(false);
      expect(isStated(rule, [rule, next])).toBe(false);
      expect(isStated(rule, [next, rule])).toBe(true);
    }
  });
});

const BROUGHT: readonly (readonly [string, Language, string, string])[] = [
  ["an issue after a lead-in", "English", "Please fix this issue:", "The list is empty.\n\nRULE"],
  [
    "an issue after a lead-in",
    "German",
    "Behebe bitte das folgende Ticket.",
    "Alles leer.\n\nRULE",
  ],
  ["an issue after a lead-in", "French", "Voici le ticket :", "La liste est vide.\n\nRULE"],
  ["an issue after a lead-in", "Spanish", "Esta es la incidencia:", "Nada sale.\n\nRULE"],
  ["an issue's form", "English", "", "RULE\n\n### Describe the bug\nIt fails."],
  ["an issue's form", "German", "", "RULE\n\nErwartetes Verhalten\nEs geht."],
  ["an issue's form", "French", "", "RULE\n\nComportement attendu :\nTout marche."],
  ["an issue's form", "Spanish", "", "Pasos para reproducir\nAbrir.\n\nRULE"],
  ["an e-mail with its head", "English", "Answer it.", "From: Ann\nSubject: Tables\n\nRULE"],
  ["an e-mail with its head", "German", "Antworte.", "Von: Ann\nBetreff: Tabellen\n\nRULE"],
  ["an e-mail with its head", "French", "Réponds.", "De : Zoé\nObjet : tables\n\nRULE"],
  ["an e-mail with its head", "Spanish", "Responde.", "De: Ana\nAsunto: tablas\n\nRULE"],
  ["a letter", "English", "", "Dear team,\n\nRULE\n\nKind regards\nAnn"],
  ["a letter", "German", "", "RULE\n\nMit freundlichen Grüßen\nBob"],
  ["a letter", "French", "", "RULE\n\nCordialement,\nZoé"],
  ["a letter", "Spanish", "", "RULE\n\nUn saludo,\nAna"],
  ["a quotation", "English", "", "> Is it so?\n\nRULE"],
  ["a quotation", "German", "Er meint:", "„Hör zu. RULE Gut.“"],
  ["a quotation", "French", "Il le veut :", "« Écoute. RULE Bien. »"],
  ["a quotation", "Spanish", "Lo quiere:", "«Oye. RULE Bien.»"],
  ["a page of an issue", "English", "", "ann-b commented 2 days ago\nRULE"],
  ["a heading", "English", "", "# House rules\n\nRULE"],
  ["a signature", "English", "", "RULE\n\n-- \nAnn, Shop Ltd"],
];

describe("a user has brought it from elsewhere, and has not said it", () => {
  test.each(BROUGHT)("%s, in %s", (_, language, lead, document) => {
    const rule = RULES[language];
    const brought = document.replace("RULE", rule);
    for (const prompt of [`${lead}\n${brought}`, `${lead}\n\n${brought}`]) {
      expect(isStated(rule, [prompt])).toBe(false);
    }
    expect(isStated(rule, [`${rule}\n\n${lead === "" ? "Gut." : "Ok."}`])).toBe(true);
  });

  test("I30: whatever stands around it in a document that a line leads in to", () => {
    const leads = [
      "Here is the issue:",
      "Das Ticket:",
      "Voici :",
      "Mira esto:",
      "> Ann",
      "<issue>",
    ];
    const around = ["It fails.", "Es geht nicht.", "", "Rien ne marche.", "No funciona.", "Ok"];
    const languages = Object.keys(RULES) as Language[];
    assert(
      property(
        constantFrom(...leads),
        constantFrom(...around),
        constantFrom(...around),
        constantFrom(...languages),
        constantFrom(" ", "\n", "\n\n"),
        (lead, before, after, language, gap) => {
          const document = [before, RULES[language], after].join(gap);
          expect(isStated(RULES[language], [`${lead}\n${gap}${document}`])).toBe(false);
        },
      ),
    );
  });
});
