// What `bun test` loads before the tests (bunfig.toml): Bun's own limit of five seconds is for a fast machine.
import { setDefaultTimeout } from "bun:test";

const LIMIT_MS = 600_000;

setDefaultTimeout(LIMIT_MS);
