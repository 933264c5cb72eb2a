// Checks whether stored memories hold apparent secrets.
import { type Check, found, passed, skipped } from "../finding.ts";

export const secretsMasked: Check = {
  id: "secrets-masked",
  title: "Memories hold no secrets",
  answeredBy: ["folder-variable-wrong", "data-not-writable"],
  run: ({ database, command }) => {
    if (database.file?.soundness.state !== "sound") return skipped("there is nothing to read");
    const { secrets } = database.file;
    if (secrets.size === 0) return passed("nothing looks like a secret");
    const counts = [...secrets].map(([kind, count]) => `${count} of kind "${kind}"`);
    return found({
      code: "secrets-stored",
      severity: "warning",
      what: `Stored entries hold what looks like a password, a key or a token: ${counts.join(", ")}.`,
      cause: "They were stored before there were the rules that refuse them now.",
      fix: `\`${command} memory check\` shows them, masked; \`${command} memory check --fix\` masks them for good.`,
    });
  },
};
