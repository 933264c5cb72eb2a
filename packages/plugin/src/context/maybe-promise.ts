// Applies a function to a value now, or once its promise resolves.

/**
 * Maps a value at once if it is there, else when its promise resolves. In the path of each model call a promise
 * costs more than most of the work that it would wait for.
 */
export function mapMaybePromise<Value, Made>(
  value: Value | Promise<Value>,
  take: (value: Value) => Made | Promise<Made>,
): Made | Promise<Made> {
  return value instanceof Promise ? value.then(take) : take(value);
}
