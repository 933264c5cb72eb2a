import { describe, expect, test } from "bun:test";
import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import fc from "fast-check";
import { containsSecret, maskSecrets } from "../../src/log/secrets.ts";
import { INNOCENT, mixed, NAMED, SHAPED } from "./corpus.ts";

const PREFIX = "@secretlint/secretlint-rule-";

interface FoundSecret {
  readonly rule: string;
  readonly range: readonly number[];
}

/** What the maintained rules find in a text. */
function foundIn(content: string): readonly FoundSecret[] {
  const found: FoundSecret[] = [];
  for (const rule of rules) {
    const context = {
      sharedOptions: {},
      createTranslator: () => () => ({ message: "", messageId: "" }),
      report: ({ range }: { readonly range: readonly number[] }) =>
        void found.push({ rule: rule.meta.id.slice(PREFIX.length), range }),
      ignore: () => undefined,
    };
    // The rules' own types ask for the whole linter around them.
    const { file } = rule.create(context as never, { enableIDScanRule: true } as never);
    void file?.({ filePath: "a.txt", content, ext: ".txt", contentType: "text" } as never);
  }
  return found;
}

describe("secrets by their form", () => {
  for (const { name, rule, secret } of SHAPED) {
    test(`a ${name} is taken out, whatever stands around it`, () => {
      for (const [before, after] of [
        ["", ""],
        ["said ", " and"],
        ['{"a":"', '"}'],
        ["(", ")"],
        ["\n", ",\n"],
      ]) {
        const clean = maskSecrets(before + secret + after);
        expect(clean).toBe(`${before}[secret]${after}`);
      }
      if (rule !== null) expect(foundIn(`x ${secret} `).map((one) => one.rule)).toContain(rule);
    });
  }

  test("each rule of the maintained set has its form here", () => {
    const known = rules.map(({ meta }) => meta.id.slice(PREFIX.length));
    const tried = new Set(SHAPED.map(({ rule }) => rule));
    const elsewhere = ["basicauth", "database-connection-string", "gcp", "filter-comments"];
    expect(known.filter((rule) => !tried.has(rule) && !elsewhere.includes(rule))).toEqual([]);
  });

  test("the maintained rules find nothing in what has been cleaned", () => {
    const texts = SHAPED.map(({ secret }) => secret);
    const named = NAMED.map((form) => form.replaceAll("§", mixed(24)));
    const service = JSON.stringify({
      type: "service_account",
      private_key_id: mixed(40),
      private_key: SHAPED.find(({ name }) => name === "RSA key")?.secret,
    });
    const whole = [...texts, ...named, service].join("\n");
    expect(foundIn(whole).length).toBeGreaterThan(texts.length / 2);
    expect(foundIn(maskSecrets(whole))).toEqual([]);
  });
});

describe("secrets by what names them", () => {
  for (const form of NAMED) {
    test(`${form}`, () => {
      for (const secret of ["hunter2hunter2", mixed(32), "a+/b=.c~d-e_f1", "correct-horse"]) {
        const clean = maskSecrets(form.replaceAll("§", secret));
        expect(clean).not.toContain(secret);
        expect(clean).not.toContain(secret.slice(4));
      }
    });
  }

  test("a value with an escaped quote goes whole, and what follows stays", () => {
    expect(maskSecrets(String.raw`{"password":"a\"b c","x":1}`)).toBe(
      '{"password":"[secret]","x":1}',
    );
  });
});

test("an address holds a secret with a password in it, or a parameter of a secret's name", () => {
  for (const address of [
    "postgres://ann:hunter2@db.example/shop",
    "see redis://:hunter2@db.example",
    "https://x.example/a?b=c&access_token=hunter2",
    "https://x.example/a#token=hunter2",
  ]) {
    expect([address, containsSecret(address)]).toEqual([address, true]);
  }
  for (const address of [
    "postgres://ann@db.example/shop",
    "https://x.example/a?b=c#part",
    "https://x.example:8080/a@b",
    "no address, token=",
  ]) {
    expect([address, containsSecret(address)]).toEqual([address, false]);
  }
});

test("innocent texts stay as they are", () => {
  for (const text of INNOCENT) expect(maskSecrets(text)).toBe(text);
  expect(maskSecrets(INNOCENT.join("\n"))).toBe(INNOCENT.join("\n"));
});

test("cleaning twice changes nothing more", () => {
  const texts = [
    ...SHAPED.map(({ secret }) => secret),
    ...NAMED.map((form) => form.replaceAll("§", mixed(20))),
  ];
  for (const text of texts) expect(maskSecrets(maskSecrets(text))).toBe(maskSecrets(text));
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...texts, ...INNOCENT, " ", "\n", '"'), { maxLength: 6 }),
      (parts) => {
        const once = maskSecrets(parts.join(" "));
        for (const { secret } of SHAPED) expect(once).not.toContain(secret);
      },
    ),
  );
});
