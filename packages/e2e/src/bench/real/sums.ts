// Sums and means of a bench's figures.

export function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

export function mean(values: readonly number[]): number {
  return total(values) / Math.max(1, values.length);
}
