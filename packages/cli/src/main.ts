// Runs the command line, once this Node is known to suffice.
// Folder: The command `session-runtime`: from arguments to an exit code.
import manifest from "../package.json" with { type: "json" };
import { EXIT } from "./cli-error.ts";
import { arriveFromRerun } from "./database/rerun-arrival.ts";
import { run } from "./run.ts";
import { processTerminal } from "./terminal/terminal.ts";

arriveFromRerun(process.env);

// `session-runtime … | head` closes the pipe early: that is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(EXIT.done);
  throw error;
});

// Sets exitCode instead of calling exit(), so that output still queued for a pipe is written first.
process.exitCode = await run(process.argv.slice(2), processTerminal(), manifest.version);
