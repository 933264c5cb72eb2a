import { characters, mixed } from "./corpus.ts";

const hex = (length: number) => characters("0123456789abcdef", length);
const digits = (length: number) => characters("23456789", length);
const letters = (length: number) => characters("ABCDEFGHJKLMNPQRSTUVWXYZ23456789", length);

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
  atlassian: `ATATT3x${mixed(60)}`,
};

export interface Sentence {
  readonly text: string;
  readonly secrets: readonly string[];
}

/** Without the marks, and with the secrets that stood between them. */
export function sentenceOf(written: string): Sentence {
  const whole = written.replace(/§([^§]+)§/g, (_, name: string) => {
    const form = FORMS[name];
    if (form === undefined) throw new Error(`There is no form ${name}.`);
    return form;
  });
  const secrets = [...whole.matchAll(/⟦([^⟧]+)⟧/g)].map((match) => String(match[1]));
  return { text: whole.replace(/[⟦⟧]/g, ""), secrets };
}
