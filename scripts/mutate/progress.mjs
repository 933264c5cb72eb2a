// Says how far the work is.
/** Seconds between two lines, where lines can't be written over. */
const EVERY_SECONDS = 15;

/** Says how far the work is and when it will be done. */
export function createProgress(what, total, stream = process.stderr) {
  const startedAt = Date.now();
  let done = 0;
  let saidAt = startedAt;
  return {
    advance(note) {
      done += 1;
      const now = Date.now();
      const leftMs = ((now - startedAt) / done) * (total - done);
      const text = `${what}: ${done} of ${total}, ${minutes(leftMs)} left${note === "" ? "" : `, ${note}`}`;
      if (stream.isTTY) stream.write(`\r\x1b[2K${text}${done === total ? "\n" : ""}`);
      else if (done === total || now - saidAt > EVERY_SECONDS * 1000) {
        stream.write(`${text}\n`);
        saidAt = now;
      }
    },
  };
}

function minutes(ms) {
  const seconds = Math.ceil(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} min`;
}
