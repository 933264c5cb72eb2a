import { describe, expect, test } from "bun:test";
import { redact } from "../../src/doctor/redact.ts";

const REDACTION = {
  folders: [
    ["/home/zoe/work/secret-client", "<project>"],
    ["/home/zoe", "~"],
  ],
  names: ["zoe", "zoes-laptop"],
} as const;

const clean = (text: string) => redact(text, REDACTION);

describe("a report for an issue has no path and no secret", () => {
  test("home and project are named by a word", () => {
    expect(clean("at /home/zoe/work/secret-client/a.ts")).toBe("at <project>/a.ts");
    expect(clean("at /home/zoe/.config/opencode")).toBe("at ~/.config/opencode");
  });

  test("other absolute paths keep their last name only", () => {
    expect(clean("at /srv/customers/acme/opencode, then")).toBe("at <path>/opencode, then");
    expect(clean("file:///srv/customers/acme/p.ts")).not.toContain("acme");
  });

  test("user and machine are no names", () => {
    expect(clean("zoe@zoes-laptop: denied")).toBe("<name>@<name>: denied");
  });

  const secrets = [
    ["an Anthropic key", "key sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWx"],
    ["an OpenAI key", "sk-proj-AbCdEfGhIjKlMnOpQrStUvWx"],
    ["a GitHub token", "ghp_AbCdEfGhIjKlMnOpQrStUvWx1234"],
    ["a JWT", "eyJhbGciOiJIUzI1NiIsInR5cCI6.eyJzdWIiOiIxMjM0NTY3ODkwIn0.AbCdEf"],
    ["a value behind a telling name", 'apiKey: "AbCdEfGhIj"'],
    ["a variable", "MY_TOKEN=AbCdEfGhIj"],
    ["a header", "Authorization: Bearer AbCdEfGhIj"],
    ["a basic header", "Authorization: Basic bWU6AbCdEfGhIj="],
    ["a password", "pwd=AbCdEfGhIj"],
    ["a temporary key of AWS", `ASIA${"AbCdEf".toUpperCase()}GHIJKLMNOP`],
  ] as const;
  for (const [name, text] of secrets) {
    test(`${name} is taken out`, () => {
      expect(clean(text)).toContain("[secret]");
      expect(clean(text)).not.toContain("AbCdEf");
    });
  }

  test("user, password and query go from an address", () => {
    expect(clean("https://me:AbCdEfGhIj@example.org/x?token=AbCdEf")).toBe("https://example.org/x");
  });

  test("what is no secret stays readable", () => {
    const text = "plugin-fails: TypeError: undefined is not a function (opencode 1.18.33)";
    expect(clean(text)).toBe(text);
  });
});
