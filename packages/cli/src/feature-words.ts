// Runs the commands that the plugin's features add to the command line.
import type { Config } from "@session-runtime/opencode/config/schema";
import type { CliCommand, CliCommandCode } from "@session-runtime/opencode/feature-api/command";
import {
  NotFoundError,
  UserFacingError,
} from "@session-runtime/opencode/feature-api/user-facing-error";
import { loadFeatures } from "@session-runtime/opencode/features/list";
import { makeLinesVisible } from "@session-runtime/opencode/status/wording";
import { CliError, EXIT, misuse } from "./cli-error.ts";
import type { CatalogueEntry, Command } from "./command.ts";
import type { Environment } from "./host/places.ts";
import { typed } from "./invocation.ts";

export async function loadFeatureCommands(): Promise<readonly CatalogueEntry[]> {
  const features = await loadFeatures(process.env);
  return features.flatMap(({ cliCommands }) =>
    (cliCommands ?? []).map((word) => ({
      name: word.name,
      formerNames: word.formerNames ?? [],
      summary: word.summary,
      needs: "sqlite" as const,
      load: async () => toCommand(word, await word.load()),
    })),
  );
}

/** Loads the configuration with its schema, only for a command that needs it. */
async function effectiveConfig(directory: string, env: Environment): Promise<Config> {
  const { loadEffectiveConfig } = await import("./database/effective-config.ts");
  return loadEffectiveConfig(directory, env);
}

async function toCommand(
  { name, summary }: CliCommand,
  { details, args, examples, access, run }: CliCommandCode,
): Promise<Command> {
  const [{ dataCommand, making, reading, writing }, { printJson, printLine }, choosing] =
    await Promise.all([
      import("./database/data-command.ts"),
      import("./terminal/terminal.ts"),
      import("./sessions/choose-session.ts"),
    ]);
  const ofSession = Object.keys(args).filter((one) => args[one]?.type === "session");
  return dataCommand({
    ...{ name, summary, details, examples },
    args: Object.fromEntries(
      Object.entries(args).map(([one, arg]) => [
        one,
        arg.type === "session" ? choosing.SESSION_ARGUMENT : arg,
      ]),
    ),
    run: async (parsed, terminal, place) => {
      const open = { reads: reading, writes: writing, makes: making }[access];
      const values = Object.entries<unknown>(parsed).filter(
        (entry): entry is [string, string | boolean] =>
          Object.hasOwn(args, entry[0]) && ["string", "boolean"].includes(typeof entry[1]),
      );
      const answer = await open(place, async (driver) => {
        const given = new Map(values);
        const directory = process.cwd();
        for (const one of ofSession) {
          const word = given.get(one);
          const named = typeof word === "string" ? word : undefined;
          given.set(one, choosing.chooseSession(driver, named, directory).sessionId);
        }
        try {
          const config = () => effectiveConfig(directory, terminal.env);
          return await run({
            given,
            driver,
            directory,
            env: terminal.env,
            config,
            nowMs: Date.now(),
            typed,
          });
        } catch (error) {
          if (!(error instanceof UserFacingError)) throw error;
          if (error instanceof NotFoundError)
            throw new CliError("nothing-there", error.message, "");
          const help = `${typed(`${name} --help`)} lists what it takes.`;
          throw misuse(error.message, help);
        }
      });
      if (parsed.json === true) printJson(terminal, answer.values);
      // Stored text may hold terminal sequences, and our own colours are such sequences too.
      else printLine(terminal, makeLinesVisible(answer.text));
      return EXIT.done;
    },
  });
}
