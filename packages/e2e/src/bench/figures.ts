// Quantiles, and times as text.

/** A quantile of samples by the nearest rank, 0 < q <= 1; NaN where there are none. */
export function quantile(samples: readonly number[], q: number): number {
  const sorted = samples.toSorted((left, right) => left - right);
  return sorted[Math.ceil(q * sorted.length) - 1] ?? Number.NaN;
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

export function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} ms`;
}

export function us(valueMs: number): string {
  return `${Math.round(valueMs * 1_000)} µs`;
}

/** Of this process, so far: what a busy machine does between counts little. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
