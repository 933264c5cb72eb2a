import { characters, mixed } from "./corpus.ts";

const hex = (length: number) => characters("0123456789abcdef", length);
const digits = (length: number) => characters("23456789", length);
const letters = (length: number) => characters("ABCDEFGHJKLMNPQRSTUVWXYZ23456789", length);

/** Digits as a card's issuer numbers it: the last one is Luhn's. */
function card(first: string, length: number): string {
  const body = `${first}${digits(length - first.length - 1)}`;
  const sum = [...body].reverse().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return `${body}${(10 - (sum % 10)) % 10}`;
}
const inFours = (number: string, border: string) => (number.match(/.{4}/g) ?? []).join(border);

/** Secrets in their issuers' forms, made here so that no scanner takes the files for a leak. */
const FORMS: Readonly<Record<string, string>> = {
  telegram: `${digits(10)}:${mixed(35)}`,
  mailgun: `key-${hex(32)}`,
  mailchimp: `${hex(32)}-us12`,
  twilio: `SK${hex(32)}`,
  "aws-id": `AKIA${letters(16)}`,
  "aws-secret": `${mixed(13)}/${mixed(12)}+${mixed(13)}`,
  "stripe-test": `sk_test_${mixed(24)}`,
  "stripe-live": `rk_live_${mixed(24)}`,
  github: `ghp_${mixed(36)}`,
  npm: `npm_${mixed(36)}`,
  google: `AIza${mixed(35)}`,
  sendgrid: `SG.${mixed(22)}.${mixed(43)}`,
  discord: `M${mixed(23)}.${mixed(6)}.${mixed(30)}`,
  "discord-hook": `discord.com/api/webhooks/${digits(18)}/${mixed(60)}`,
  "slack-hook": `hooks.slack.com/services/T${letters(8)}/B${letters(8)}/${mixed(24)}`,
  "slack-bot": `xoxb-${digits(12)}-${mixed(24)}`,
  tailscale: `tskey-auth-${mixed(20)}`,
  sentry: `sntrys_${mixed(60)}`,
  azure: `${mixed(43)}+${mixed(42)}==`,
  card: card("4929", 16),
  "card-spaced": inFours(card("5425", 16), " "),
  "card-dashed": inFours(card("4716", 16), "-"),
  amex: card("3782", 15).replace(/^(.{4})(.{6})/, "$1 $2 "),
  resend: `re_${mixed(8)}_${mixed(24)}`,
  hex32: hex(32),
  "twilio-account": `AC${characters("abcdef0123456789", 32)}`,
  // Of a package's or a script's digest: none of them is a secret.
  "b64-86": `${mixed(43)}+${mixed(42)}`,
  "b64-64": mixed(64),
  "b64-43": mixed(43),
  atlassian: `ATATT3x${mixed(60)}`,
};

export interface Sentence {
  readonly text: string;
  readonly secrets: readonly string[];
}

/** Without the marks, and with the secrets that stood between them. */
export function parseSentence(written: string): Sentence {
  const whole = written.replace(/§([^§]+)§/g, (_, name: string) => {
    const form = FORMS[name];
    if (form === undefined) throw new Error(`There is no form ${name}.`);
    return form;
  });
  const secrets = [...whole.matchAll(/⟦([^⟧]+)⟧/g)].map((match) => String(match[1]));
  return { text: whole.replace(/[⟦⟧]/g, ""), secrets };
}
