import { describe, expect, test } from "bun:test";
import {
  rateLikeness,
  rateQuotedLikeness,
  type SecretLikeness,
} from "../../src/log/secret-likeness.ts";

/** Words by what they look like. */
const WORDS: Readonly<Record<SecretLikeness, string>> = {
  none: `
    base64 base16 base32 base36 base45 base58 base62 base64url base85 base64-encoded
    sha256 sha-256 sha1 sha512 hmac-sha256 hmacsha256 shake128 blake2b-256 md5 ripemd160 keccak256 sha3-512 sha3/256
    HS256 RS512 ES256 PS384 ES256K ed25519 x25519 ed448 x448 aes-256-gcm AES128 aes-cbc xchacha20 chacha20-poly1305
    chacha20poly1305 xchacha20-poly1305 argon2id argon2 argon2i argon2d pbkdf2 pbkdf2_sha256 bcrypt bcrypt12 scrypt scrypt2 rsa-4096
    RSA2048 ecdsa-p256 ecdsa secp256k1 secp384r1 p256 P-384 oauth2 oauth-2.0 oauth1 utf-8 utf16 uuidv4 uuid-v7 ulid26
    k8s i18n l10n c4d s3 ec2 r2 d1 http2 http/1.1 ipv4 ip-v6 x509 x.509v3 pkcs8 pkcs-12 p12 rfc-7519 rfc7519
    iso8601 iso-27001-1 fido2 u2f tlsv1.3 tls1.2 ssl-v3 1password auth0 k3s e2ee web3 log4j2 log4j es2023 c10k p100k
    node-20 python-3.11 python3 level-3 v1.2.3 v2-beta sha256-hashed sha256-signed sha256-based aes256-encrypted
    64-character 64-characters 15min 3.14 22.11.0-rc1 2026-12-01T10:00 10k 4096-bit 1st 100% 30s 5MB 12-digit 8-byte
    6-digits 3-word 5-days 2-hours 30-minutes 10-seconds 2-months 3-weeks 2-years 3-times 9-letters 2.0-alpha.1 1.0-beta
    3.0-dev 4-next ~10 >=18 <=3 +49 -1 10:30 12/2026 8-stellig 6-zeichen 6-stellen
    main.ts index.test.js key.pem app.config.json data.yaml Cargo.toml README.md a.py x.go Main.java main.c a.h:12:3
    lib.rs notes.txt page.html a.css b.scss c.vue d.svelte e.xml f.csv g.env h.ini i.cfg j.conf k.lock l.log m.key n.crt
    o.cer p.p12 q.pfx r.jks s.zip t.gz u.tgz v.tar w.7z x.png y.jpeg z.jpg a1.svg b2.pdf c3.db d4.sqlite e5.proto f6.tf
    g7.mjml h8.mts i9.cjs j1.tsx k2.jsonc l3.yml m4.kt n5.swift o6.cpp p7.cs q8.php r9.sh s1.sql t2.htm
    API_KEY2 MY_SECRET_V2 A1_B2
    https://x.example/a1 www.example2.com ann.b+c1@mail2.example.com db2.internal.example db2.example.com:5432 host_1:8080
    call1() foo.bar2(x) a1=b x{1} <b2> a|b1 a\\b1 -v2 #12a @user1 &x1 $var1 list1[] arr1[0] a1?.b A1::b x1=>y x1->y
    a1...b a1…
    ses_a1B2c3D4 msg_1a2B3c4D prt-1aB2 usr:1a2b user-12ab evt_1aB2 req-9zY8 job:12aB run_a1B2 acct_1aB2 cus_1aB2
    org-1aB2 proj_1aB2 call_1aB2 toolu_01aB2 chatcmpl-1aB2 commit:1aB2 sha256:1aB2 md5-1aB2 sha-1:1aB2 m:k3f9ab h:1aB2 n:1aB2
    ~/a1/b2 ./a1B2 ../x9Y8 /usr/lib64 src/a1/b2
    a1 ab2 ${"a1".repeat(201)}
    wJalrXUtnFEMI+bPxRfiCYEXAMPLEKEY sk-proj-... ghp_xxxxxxxxxxxx sha512-${"aB3/".repeat(21)}aQ==
    changeme example your-token-1 xxxx ••••
    word words-of-three two-words camelCase Simple 1.2.3.4
  `,
  digits: "1234 123456 123456789012",
  words: "",
  weak: `
    hunter2 Tournesol_33 us-east-1x claude-sonnet-4-5x teamToken2 _makeKey2 hostDefaultKey12 teamUserAccessTokenV2
    0d9b296a-f33f-2b85-1fcb-f4df3e9ec897 abc123d deadbeef1 0x1a2b3c 12!34 99#77 p@ssword hello!there
    correct-horse-battery-staple correct_horse_battery_staple abcdefg1
  `,
  strong: `
    9f8a7b6c5d4e 0x9f8a7b6c5d4e3f hunter2horse99 aB3dE5fG S3cr3t!2024 wJalrXUtnFEMI+bPxRfiCYzzzzzzzKEY
    Xk9#mP2$vL Tr0ub4dor&3 aXbYcZdWeVfUgThSi QwErTyUiOpAsDfGh==
  `,
};

const listed = (likeness: SecretLikeness) =>
  WORDS[likeness].split(/\s+/).filter((word) => word !== "");

describe("how much a word looks like a secret", () => {
  for (const likeness of ["none", "digits", "weak", "strong"] as const) {
    test.each(listed(likeness))(`${likeness}: %s`, (word) => {
      expect(rateLikeness(word)).toBe(likeness);
    });
  }

  test("numbers of 4 to 12 digits are digits; shorter and longer ones are nothing", () => {
    expect(["123", "1234", "123456789012", "1234567890123"].map(rateLikeness)).toEqual([
      ...(["none", "digits", "digits", "none"] as const),
    ]);
  });

  test("what is longer than any secret is none, and the longest is one", () => {
    const long = "aB3!".repeat(100);
    expect([rateLikeness(long), rateLikeness(`${long}x`)]).toEqual(["strong", "none"]);
  });

  test.each<readonly [string, SecretLikeness]>([
    ["hunter2", "weak"],
    ["S3cr3t!2024", "strong"],
    ["tournesol", "words"],
    ["Tournesol!", "words"],
    ["ab", "none"],
    ["abc", "words"],
    ["a".repeat(30), "words"],
    ["a".repeat(31), "none"],
    [`A${"a".repeat(30)}`, "words"],
    ["TOURNESOL", "none"],
    ["password", "none"],
    ["correct horse battery staple", "words"],
    ["correct horse, battery staple", "none"],
    ["Correct horse. Battery", "none"],
    ["it's a plain-word phrase!", "words"],
    ["three  blind mice", "words"],
    ["(three blind mice", "none"],
    ["three blind mice)", "none"],
    ["a (b) c", "none"],
    ["one two three four five six seven eight nine ten", "words"],
    ["one two three four five six seven eight nine ten eleven", "none"],
  ])("in quotes, %p: %s", (text, likeness) => {
    expect(rateQuotedLikeness(text)).toBe(likeness);
  });
});

/** Each is none as a whole, and would be a secret with a little more to it. */
const TECHNICAL = `
  hmac-sha512 sha_256 sha/512 sha3 sha3-256 sha512abc blake256 blake2s256 blake3 md5sum ripemd-160 keccak-256 keccak_512
  hs256k ps512 es384k x25519 ed25519 aes256-cbc-hmac argon2id argon2d pbkdf2sha512 bcrypt2b scrypt1 rsa4096 ecdsa-p384
  secp521r1 p-256 p521 oauth-1 oauth2.1 oauth1.0 utf8 utf-16 uuid4 uuid-4 uuidv7 ulid01 i18ns c4da k10
  http/2 http1.1 http/3 ip-v4 ipv6 x-509 x509v3 pkcs7 pkcs-#7 pkcs#12 rfc2119 iso-8601 iso9001-2 tls-v1 tls1.3 tls-1.2 tlsv1
  ssl3 sslv3 ssl-3 1password7 e2ee2 e2etests log4j es2015 cl100k_base o200k_base p50k r50k_base c100k l10k
  node20 python-3 python3.12 level3 v12 v1.2-rc_1 sha256-encoded sha256-encrypted sha256-abcdef v2-hashed
`;

const MEASURES = ["char", "character", "digit", "byte", "bit", "word", "day", "hour", "minute"]
  .concat(["second", "month", "week", "year", "time", "letter"])
  .flatMap((unit) => [`64-${unit}`, `64-${unit}s`, `64${unit}`])
  .concat(["8-zeichen", "8-stelligen", "8-stellen", "~10min", "+-10ms", ">=18years", "1.0alpha1"])
  .concat(["2.0rc-1", "3.0-next.2", "2026-12-01T10:00:00.5Z", "2026-12-01T10", "10_000k", "1/2h"]);

const FILES =
  "ts js mts cjs tsx mjsx json jsonc yaml yml toml md mdx txt py rb go rs java kt swift c h"
    .concat(
      " cpp cs php sh sql htm html css scss vue svelte xml csv env ini cfg conf lock log pem key",
    )
    .concat(" crt cer p12 pfx jks zip gz tgz tar 7z png jpg jpeg svg pdf db sqlite proto tf mjml")
    .split(" ")
    .flatMap((ending) => [`aB3dE5fG.${ending}`, `aB3dE5fG.${ending}:12:3`]);

const ADDRESSES = `
  www.aB3dE5fG aB3+d.E-5@X9-y.aB3.dE5 a1.b2.c3.example a1-b.example a1.example:5432 Host_1.a-B:8080
  A1_B2C3 API2_KEY_V2 ses_aB3dE5fG sha:aB3dE5fG sha256-aB3dE5fG sha-12:aB3dE5fG md5:aB3dE5.fG h_aB3-dE5 commit-aB3dE5fG
`;

test.each(
  [TECHNICAL, ADDRESSES]
    .flatMap((words) => words.split(/\s+/))
    .filter((word) => word !== "")
    .concat(MEASURES, FILES),
)("a format, a measure, a file, an address or an id: %s", (word) => {
  expect([word, rateLikeness(word)]).toEqual([word, "none"]);
});

test.each(
  `sha256x9 hs257 xed25519 argon2x secp256x1 p-257 oauth3 http4 ipv5 x510 k8sxy cl1000k x100k rsa4096-abcdefg xsha256
   x64-char 64-charsx 64-characterss 10T10:00X aB3dE5fG.tsz aB3dE5fG.xts aB3dE5fG.mdxx aB3dE5fG.jsonp xAPI_KEY2 API_KEY2x
   aB3www.dE5fG !aB3@x.example aB3@x.example!9 a1.b2.C3 a1.example:54a xses-aB3dE5fG ses_aB3dE5fG!
   aB3-dE5(fG aB3+dE5=fG 12345!xyzw`
    .split(/\s+/)
    .filter((word) => word !== ""),
)("one sign away from it: %s", (word) => {
  expect([word, rateLikeness(word)]).not.toEqual([word, "none"]);
});

describe("at the borders of what looks like a secret", () => {
  test.each<readonly [string, SecretLikeness]>([
    // Four characters at least.
    ["a1b", "none"],
    ["a1b2", "weak"],
    // A form counts as a whole, not as a part of the word.
    ["sha256of9Xk2", "strong"],
    ["my-base64-x9Xk2", "strong"],
    ["e5.ts9Xk2", "strong"],
    ["9X.k2-aB3dE", "strong"],
    ["id0d9b296a-f33f-2b85-1fcb-f4df3e9ec897", "strong"],
    ["0d9b296a-f33f-2b85-1fcb-f4df3e9ec897a", "strong"],
    ["me~/a1b2c3d4", "strong"],
    ["xx/a1#b2c3d4", "strong"],
    ["1://aB3dE5fG", "strong"],
    ["pg://aB3dE5fG", "none"],
    ["c++x://aB3dE5fG", "none"],
    ["xses_a1B2c3D4", "strong"],
    ["/a1b2c3d4e5f6/x9", "none"],
    // Eight characters at least.
    ["a1g2c3d", "weak"],
    ["a1g2c3de", "strong"],
    ["xyzw12345", "weak"],
    // Names in code.
    ["aXbCd2", "weak"],
    ["someOtherTokenName2", "weak"],
    // Functions, by their verb and what they work on.
    ["createSomeOtherToken2", "none"],
    ["checkPasswordV2", "none"],
    ["checkMate2024", "weak"],
    ["resetMe2024", "weak"],
    ["PasswordMailer#send_reset2", "none"],
    ["Harvest#204abc", "strong"],
    ["createTOKEN23456", "strong"],
    ["createToken234", "weak"],
    // Parts of up to four digits after letters, or eight digits.
    ["abcd-1234-efgh5678", "weak"],
    ["abcd-12345678-ef", "weak"],
    ["abcd-123456789-ef", "strong"],
    ["abcd12345", "weak"],
    ["abcd12345-ef", "strong"],
    ["9ab-12cd-abcdef", "weak"],
    ["123cd-abcdef", "strong"],
    // Hexadecimal.
    ["dead1beef23", "weak"],
    ["dead1beef23a", "strong"],
    ["0xdeadbeef12", "strong"],
    // Letters alone: so many changes that nobody has typed them.
    ["abcdEfghIjklMnop", "none"],
    ["aBcDefghijklmnop", "none"],
    ["aBcDeFgHiJklmnop", "strong"],
    ["aBcDeFgHiJklmno", "none"],
    ["aBcDeFgHiJ-klmnop", "none"],
    ["aBcDeFgHiJklmnop==", "strong"],
    // Signs.
    ["harbour!", "none"],
    ["harbour!?", "none"],
    ["!%*!", "none"],
    ["aBcDeFgHiJklmnop#", "weak"],
    ["!aBcDeFgHiJklmnop", "weak"],
    ["one-two-three-.four", "none"],
    ["one-two-three-four.x", "none"],
    ["har!bour", "weak"],
    ["12345!67", "weak"],
    ["12345.67x!", "strong"],
    ["one-two-three-four", "weak"],
    ["one-two-three", "none"],
    ["one-two-three-of", "none"],
  ])("%s: %s", (word, likeness) => {
    expect([word, rateLikeness(word)]).toEqual([word, likeness]);
  });
});
