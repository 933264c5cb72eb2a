// Lists the models that the host offers in a folder.
import type { FoundHost } from "./find-host.ts";
import type { Environment } from "./places.ts";
import { runProgram } from "./run-program.ts";
import { FETCHES_NOTHING } from "./throwaway.ts";

interface ModelsQuestion {
  readonly directory: string;
  readonly env: Environment;
  readonly patienceMs: number;
}

/** Returns the models as `provider/model`, for the providers that are set up; null where the host gives no list. */
export async function hostModels(
  host: FoundHost,
  { directory, env, patienceMs }: ModelsQuestion,
): Promise<readonly string[] | null> {
  const { exitCode, out } = await runProgram(host.path, ["models"], {
    cwd: directory,
    env: { ...env, ...FETCHES_NOTHING },
    deadline: AbortSignal.timeout(patienceMs),
  });
  const models = out.split("\n").filter((line) => /^[^\s/]+\/\S+$/.test(line));
  return exitCode === 0 ? models : null;
}
