import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  findExistingMemory,
  promoteFacts,
  type SourcedFact,
} from "../../../src/features/memory/promote.ts";
import { CATEGORIES, type MemoryId } from "../../../src/features/memory/record.ts";
import { areSimilar, fingerprint } from "../../../src/features/memory/similar.ts";
import { cleanText, describeRefusal, MAX_MEMORY_CHARS } from "../../../src/features/memory/text.ts";
import type { Ref } from "../../../src/ledger/ref.ts";

const same = (one: string, other: string) => areSimilar(fingerprint(one), fingerprint(other));

describe("near-duplicates", () => {
  test.each([
    ["Use `pnpm`, not npm.", "use pnpm, not npm"],
    [
      "All prices in the shop are stored as integers in cents.",
      "Prices in the shop are stored as integers in cents",
    ],
    [
      "The API gateway forwards every request to the billing service first.",
      "The API gateway forwards each request to the billing service first.",
    ],
    [
      "The person to ask about everything that concerns the depot in Oslo is Marta.",
      "The person to ask about all that concerns the depot in Oslo is Marta. Ask early.",
    ],
    [
      "Every release is announced by the team in Oslo on the first Monday of a month.",
      "Every release is announced by the Oslo team on the first Monday of a month.",
    ],
    // Words that only hold one that turns a meaning round.
    ["The notes of a release are written by hand.", "The note of a release are written by hand."],
    ["Prefer small pure functions.", "Prefer small pure functions everywhere."],
    ["Ask Marta about the depot in Oslo.", "(Ask Marta about the depot in Oslo.)"],
    ["価格はすべてセント単位で保存される", "価格は すべてセント単位で保存される。"],
  ])("%p and %p are one fact", (one, other) => {
    expect(same(one, other)).toBe(true);
    expect(same(other, one)).toBe(true);
  });

  test.each([
    ["The staging database listens on port 5432.", "The staging database listens on port 5433."],
    [
      "Run the tests with npm test before a commit.",
      "Never run the tests with npm test before a commit.",
    ],
    [
      "Handlers live in src/http/routes and are loaded lazily.",
      "Handlers live in src/http/jobs and are loaded lazily.",
    ],
    [
      "The flag useCache is on in production systems.",
      "The flag useIndex is on in production systems.",
    ],
    ["Use tabs.", "Use spaces."],
    ["価格はすべてセント単位で保存される", "在庫は毎晩倉庫から取得される"],
    // Too short to be told apart by what they share.
    ["Prefer small functions.", "Prefer small functions everywhere."],
    [
      "The jobs of a night may wait for the backup.",
      "The jobs of a night must wait for the backup.",
    ],
    ["Commits go to main without a review here.", "Commits go to main after a review here."],
    [
      "The build is run with -v at each release here.",
      "The build is run with -q at each release here.",
    ],
    ["The API of billing is slow in the night.", "The SDK of billing is slow in the night."],
    [
      "Mails are sent to the list dev@shop each night.",
      "Mails are sent to the list ops@shop each night.",
    ],
    [
      "Keine Fotos liegen in der Datenbank des Ladens.",
      "Alle Fotos liegen in der Datenbank des Ladens.",
    ],
    [
      "The person to ask about everything that concerns the depot in Oslo is Marta Quist.",
      "The person to ask about everything that concerns the depot in Hamburg is Marta Quist.",
    ],
    ["Service A owns the table of orders.", "The front page is built by a job each night."],
  ])("%p and %p are two", (one, other) => {
    expect(same(one, other)).toBe(false);
  });

  test("a text says the same as itself in any case and spacing, and the check is symmetric", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.string({ unit: "grapheme" }),
        (one, other) => {
          expect(same(one, `  ${one.replaceAll(" ", "   ")} `)).toBe(true);
          expect(same(one, other)).toBe(same(other, one));
        },
      ),
    );
  });
});

describe("what may be stored", () => {
  test("one line, as it was written otherwise; cleaning it again changes nothing", () => {
    expect(cleanText(" a\n\tb  c\u2028d\u0000\ud800 ", 99)).toEqual({
      kind: "clean",
      text: "a b  c d \ufffd",
    });
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (written) => {
        const first = cleanText(written, MAX_MEMORY_CHARS);
        if (first.kind === "refused") return;
        expect(first.text).not.toMatch(/[\p{Cc}\u2028\u2029\p{Surrogate}]/u);
        expect(cleanText(first.text, MAX_MEMORY_CHARS)).toEqual(first);
      }),
    );
  });

  test.each([
    ["", "empty"],
    ["...", "empty"],
    ["x".repeat(601), "too_long"],
    ["The key is sk-abcdefghijklmnopqrstuvwx", "secret"],
    ["DB_PASSWORD=hunter22", "secret"],
    ["postgres://me:hunter2@db/shop is the staging database", "secret"],
    ["https://api.example.com/v1?access_token=abcdef123 works", "secret"],
    ["-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----", "secret"],
    // As it was written, and as it would stand: either may be the one that shows it.
    ["postgres://me:hunter2\u0000@db/shop", "secret"],
    ["The password\nis hunter2horse99", "secret"],
  ] as const)("%p is refused: %s", (written, why) => {
    expect(cleanText(written, MAX_MEMORY_CHARS)).toEqual({ kind: "refused", why });
    expect(describeRefusal(why, MAX_MEMORY_CHARS)).toStartWith("Nothing was stored:");
  });

  test.each([
    "Docs: https://example.com/page?tab=two#part, read them first.",
    "The token of CI is kept in the vault under ci/deploy.",
    "Passwords are hashed with argon2id.",
    "http://localhost:8080/health answers when it is up.",
    "x".repeat(600),
  ])("%p holds no secret", (text) => {
    expect(cleanText(text, MAX_MEMORY_CHARS)).toEqual({ kind: "clean", text });
  });
});

describe("promotion of facts", () => {
  const fact = (text: string, importance = 50, given: Partial<SourcedFact> = {}): SourcedFact => ({
    ...{ category: "CONSTRAINTS", importance, text, source: "prompt", segment: null },
    ...given,
  });
  const found = (text: string, importance = 50) => fact(text, importance, { source: "tool" });
  const known = (id: string, text: string, kind: "active" | "candidate" | "archived" = "active") =>
    ({ id: id as MemoryId, text, state: { kind } }) as const;

  test("Y2: new facts are added, known ones confirm their memory, what can't be stored is left out", () => {
    const changes = promoteFacts(
      [
        fact("Node 20 is the oldest runtime that is supported."),
        fact("all prices are stored as integers in cents", 80),
        fact("password: hunter2hunter2"),
        fact("Orders are never deleted.", 300),
      ],
      [known("a", "All prices are stored as integers, in cents."), known("b", "Another thing.")],
    );
    const learnt = (text: string, importance: number) => ({
      ...{ kind: "learn", source: "prompt", segment: null, state: "active" },
      wording: { category: "CONSTRAINTS", text, importance, permanence: "ordinary" },
    });
    expect(changes).toEqual([
      learnt("Node 20 is the oldest runtime that is supported.", 50),
      { kind: "confirm", id: "a" as MemoryId, importance: 60 },
      learnt("Orders are never deleted.", 60),
    ] as never);
  });

  test("Y2: what no user has said is a candidate, and raises nothing that is known", () => {
    const changes = promoteFacts(
      [
        found("Deploys go without review.", 100),
        fact("The gateway stores webhooks.", 40, { source: "session", segment: "h:000001" as Ref }),
        found("All prices are stored as integers in cents.", 100),
      ],
      [known("a", "All prices are stored as integers, in cents.")],
    );
    const candidate = { kind: "learn", state: "candidate" };
    expect(changes).toMatchObject([
      { ...candidate, source: "tool", wording: { importance: 60 } },
      { ...candidate, source: "session", segment: "h:000001" },
      { kind: "confirm", id: "a", importance: 0 },
    ]);
  });

  test("what was a candidate is none again, whatever has become of it, until a user says it", () => {
    const before = [
      known("a", "Deploys go without review.", "candidate"),
      known("b", "Tables are singular.", "archived"),
    ];
    const texts = ["Deploys go without review.", "Tables are singular."];
    expect(
      promoteFacts(
        texts.map((text) => found(text)),
        before,
      ),
    ).toEqual([]);
    const said = promoteFacts(
      texts.map((text) => fact(text)),
      before,
    );
    expect(said).toMatchObject([{ state: "active" }, { state: "active" }]);
    const both = promoteFacts([found(texts[0] ?? ""), fact(texts[0] ?? "")], []);
    expect(both).toMatchObject([{ kind: "learn", state: "active" }]);
  });

  test("the memory of the very same words is confirmed before one of nearly the same", () => {
    const near = known("near", "All the prices are stored as integers in cents.");
    const exact = known("exact", "Prices are stored as integers in cents.");
    const changes = promoteFacts([fact("prices are stored as integers in cents")], [near, exact]);
    expect(changes).toMatchObject([{ kind: "confirm", id: "exact" }]);
    expect(findExistingMemory("prices are stored as integers in cents", [near, exact])).toBe(exact);
    expect(
      findExistingMemory("Something else entirely, in other words.", [near, exact]),
    ).toBeNull();
  });

  test("of facts of one answer that say the same, one is added", () => {
    const changes = promoteFacts(
      [fact("Use pnpm here."), fact("use `pnpm` here"), fact("Use pnpm here")],
      [],
    );
    expect(changes).toHaveLength(1);
  });

  test("Y2: what one batch says twice, in these words or nearly, is one memory, the user's first", () => {
    const prices = "All prices are stored as integers in cents.";
    const nearly = "all prices are stored as integers, in cents";
    const learnt = (given: readonly SourcedFact[]) =>
      promoteFacts(given, []).map(
        (change) => change.kind === "learn" && [change.wording.text, change.state],
      );
    expect(learnt([fact(prices), fact(prices)])).toEqual([[prices, "active"]]);
    expect(learnt([fact(prices), fact(nearly)])).toEqual([[prices, "active"]]);
    expect(learnt([found(nearly), found(prices)])).toEqual([[nearly, "candidate"]]);
    expect(learnt([found(nearly), fact(prices), found(prices)])).toEqual([[prices, "active"]]);
  });

  test("Y2: promoting again what was promoted adds nothing", () => {
    const text = fc
      .array(
        fc.constantFrom(
          "the",
          "shop",
          "stores",
          "prices",
          "never",
          "in",
          "cents",
          "5432",
          "a/b.ts",
        ),
        {
          minLength: 1,
          maxLength: 9,
        },
      )
      .map((words) => words.join(" "));
    const facts = fc.array(
      fc.record({
        category: fc.constantFrom(...CATEGORIES),
        importance: fc.integer({ min: -5, max: 105 }),
        text,
        source: fc.constantFrom("prompt" as const, "session" as const, "tool" as const),
        segment: fc.constant(null),
      }),
    );
    fc.assert(
      fc.property(facts, (given) => {
        const changes = promoteFacts(given, []);
        const stored = changes.flatMap((change, at) =>
          change.kind === "learn"
            ? [
                {
                  id: `${at}` as MemoryId,
                  text: change.wording.text,
                  state: { kind: change.state },
                },
              ]
            : [],
        );
        expect(stored).toHaveLength(changes.length);
        const again = promoteFacts(given, stored);
        expect(again.every(({ kind }) => kind === "confirm")).toBe(true);
        expect(promoteFacts(given, [])).toEqual(changes);
      }),
    );
  });
});
