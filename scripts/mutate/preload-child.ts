// A preload for programs that tests start: as preload.ts, and what they reach is written at once.
import { appendFileSync } from "node:fs";
import { loadMutants, switchboard } from "./load-mutants.ts";

loadMutants();

const { MUTATION_CHILDREN } = process.env;
if (MUTATION_CHILDREN !== undefined) {
  // Such a program may be killed: each mutant that is reached for the first time is a line.
  const reached = new Proxy<Record<string, number>>(
    {},
    {
      set(target, id, count) {
        if (!(id in target)) appendFileSync(MUTATION_CHILDREN, `${String(id)}\n`);
        return Reflect.set(target, id, count);
      },
    },
  );
  switchboard.mutantCoverage = { static: reached, perTest: {} };
}
