// Ages, sizes and counts as people write them.
import { misuse } from "./cli-error.ts";

const DAY_MS = 24 * 60 * 60_000;

const UNITS_MS: Readonly<Record<string, number>> = {
  h: 60 * 60_000,
  d: DAY_MS,
  w: 7 * DAY_MS,
  m: 30 * DAY_MS,
  y: 365 * DAY_MS,
};

const UNITS_BYTES: Readonly<Record<string, number>> = {
  "": 1,
  k: 1_000,
  m: 1_000_000,
  g: 1_000_000_000,
};

/** Parses `90d`, `12h`, `6m` (months); a bare number is days. */
export function ageMs(text: string, flag: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*([hdwmy]?)$/i.exec(text) ?? [];
  const factor = UNITS_MS[(unit || "d").toLowerCase()];
  if (amount !== undefined && factor !== undefined) return Number(amount) * factor;
  throw misuse(
    `${flag} needs an age, not "${text}".`,
    "Write it like 90d, 12h, 8w, 6m (months) or 1y.",
  );
}

/** Parses `200MB`, `1.5g`; a bare number is bytes. */
export function sizeInBytes(text: string, flag: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*([kmg]?)b?$/i.exec(text) ?? [];
  const factor = UNITS_BYTES[(unit ?? "").toLowerCase()];
  if (amount !== undefined && factor !== undefined) return Math.round(Number(amount) * factor);
  throw misuse(`${flag} needs a size, not "${text}".`, "Write it like 200MB or 1GB.");
}

/** Parses how many to show; 0 shows all. */
export function mostShown(text: string, flag: string): number {
  if (/^\d+$/.test(text)) return Number(text) || Number.POSITIVE_INFINITY;
  throw misuse(`${flag} needs a whole number, not "${text}".`, "0 shows all.");
}
