// Applies a function to a value now, or once its promise resolves.

/**
 * What `take` makes of a value: at once where the value is at hand, else when it comes. In each call's
 * path a promise costs more than most of what it would wait for.
 */
export function mapMaybePromise<Value, Made>(
  value: Value | Promise<Value>,
  take: (value: Value) => Made | Promise<Made>,
): Made | Promise<Made> {
  return value instanceof Promise ? value.then(take) : take(value);
}
