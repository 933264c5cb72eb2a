// Numbers of payment cards. Pure.
import { SECRET } from "./assigned-secrets.ts";

const NUMBER = /(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])/g;

/** Matches issuers' prefixes with the lengths that they issue. */
const ISSUED = /^(?:4\d{15}|4\d{12}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|6(?:011|5\d\d)\d{12})$/;

/** Matches digits as people group them: in fours, or as American Express does. */
const GROUPED = /^\d{4}([ -])(?:\d{4}\1\d{4}\1\d{4}|\d{6}\1\d{5})$/;

/** Matches a word for a card, which must be on the line of an ungrouped number. */
const CARD =
  /\b(?:credit|debit|cards?|visa|master-?card|amex|american express|charge|pay|kreditkarte|karte|kartennummer|carte|tarjeta|cartão|carta|kaart|karta|karty)\b|карт|カード|卡号/iu;

/** Lists numbers that issuers publish for tests. */
const FOR_TESTS =
  /^(?:4242|4111111111111111|4000[05]|4012888888881881|5555555555554444|5105105105105100|2223003122003222|3782822463|371449635398431|6011111111111117|6011000990139424)/;

export function withoutCards(line: string): string {
  return line.replace(NUMBER, (written) => {
    const digits = written.replace(/\D/g, "");
    if (!ISSUED.test(digits) || FOR_TESTS.test(digits) || !hasCheckDigit(digits)) return written;
    return GROUPED.test(written) || CARD.test(line) ? SECRET : written;
  });
}

/** Checks Luhn's sum. */
function hasCheckDigit(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
