import { CliError } from "../cli-error.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit-codes.ts";

/** Stands in for a command that is being written; the catalogue must name none of it in a release. */
export function pending(name: string): Command {
  return {
    name,
    summary: "Being written.",
    details: [],
    args: {},
    examples: [],
    run: async () => {
      throw new CliError("pending", `${name} is being written.`, "Try it later.", EXIT.failed);
    },
  };
}
