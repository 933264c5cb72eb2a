// A bar of block characters.

/** One bar, drawn in blocks of an eighth. */
export function bar(value: number, maximum: number, width: number): string {
  const eighths = maximum === 0 ? 0 : Math.round((value / maximum) * width * 8);
  const rest = eighths % 8;
  return "█".repeat(eighths >> 3) + (rest === 0 ? "" : (PARTS[rest - 1] ?? ""));
}

const PARTS = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"];
