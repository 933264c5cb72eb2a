import { describe, expect, test } from "bun:test";
import { maskPairs } from "../../src/log/secret-pairs.ts";

describe("a name and a password side by side", () => {
  test.each([
    "The login is ann / ⟦Winter2025⟧!",
    "The login is ann/⟦Winter2025⟧",
    "Log in with ann:⟦Tulip#88⟧.",
    "log into the CMS as ann@acme.test / ⟦Tulip#88⟧",
    "Sign in as `ann:⟦s3cr3tpw⟧`",
    "creds: postgres / ⟦s3cr3tpw⟧",
    "Credentials (ann:⟦s3cr3tpw⟧)",
    "basic auth is demo:⟦Pr3view2025⟧",
    "Basic authentication uses nothing but auth=demo:⟦Pr3view2025⟧",
    "Die Zugangsdaten sind ann:⟦s3cr3tpw⟧",
    "root:⟦toor123⟧ works",
    "try admin:⟦admin123⟧, then guest:⟦guest!9⟧",
    "The user shop_rw / ⟦Velvet#Rope3⟧ may write.",
    "account `ann` / ⟦p!ssw0rd⟧",
    "To decrypt, use the key ⟦4f1c9b2e7d8a6f3c⟧.",
    'our key "⟦AbCd1234EfGh5678⟧" is old',
    '"⟦tangerine-dream5⟧" unlocks the vault',
    "“⟦tangerine-dream5⟧” opens the door",
    'Unlock the keychain with "⟦abc123XYZ⟧".',
    "Decrypt it using `⟦abc123XYZ⟧`",
    "We log into Snowflake as dbt using ⟦Frosty!Flake8⟧.",
    "authenticates with ⟦Frosty!Flake8⟧",
  ])("%s", (written) => {
    const whole = written.replace(/[⟦⟧]/g, "");
    expect(maskPairs(whole)).toBe(written.replace(/⟦[^⟧]*⟧/g, "[secret]"));
  });

  test.each([
    "The login is handled by src/auth/login.ts",
    "The auth service is at auth:8080",
    "auth: required for all routes but /health",
    "Log in with OAuth2.",
    'Sign in with "Continue"',
    "Credentials are checked with zod:4",
    "admin:read and admin:write are scopes",
    "https://root:8080/x",
    "chown root:root",
    "the demo:start script",
    "user ann / group staff",
    "The user shop_rw / shop_ro",
    "the key customer_number_of_order",
    "the key 12345678901234567890",
    "the key abc123",
    '"Settings" opens the dialog',
    '"x1" opens it',
    'Unlock the door with "care"',
    "Decrypt with aes-256-gcm",
    "log in with a token of 32 bytes",
    "They log in. Then with Frosty!Flake8",
  ])("stays: %s", (text) => {
    expect(maskPairs(text)).toBe(text);
  });
});
