// Shortens a text from a file for display, and removes characters that control a terminal.

export function shortenText(text: string, most: number): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}]/gu, "?");
  return plain.length > most ? `${plain.slice(0, most - 1)}…` : plain;
}
