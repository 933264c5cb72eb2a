// Simulates one session after another in a thread; bundled as a file of its own.
import { parentPort } from "node:worker_threads";
import { estimateSession, type PastSession } from "./session-estimate.ts";

parentPort?.on("message", (past: PastSession) => parentPort?.postMessage(estimateSession(past)));
