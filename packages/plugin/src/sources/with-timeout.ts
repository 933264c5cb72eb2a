// Waits for a promise for a limited time.

/** Returns the promise's value, or the result of `late` after `limitMs`; a later failure is ignored. */
export async function withTimeout<T, L>(
  limitMs: number,
  work: Promise<T>,
  late: () => L,
): Promise<T | L> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<L>((resolve) => {
    timer = setTimeout(() => resolve(late()), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
