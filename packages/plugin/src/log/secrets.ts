// Removes secrets from texts. Pure; every pattern takes linear time.
import { hasSecretAddress, SECRET, withoutAssigned } from "./assigned-secrets.ts";
import { ISSUED, PRIVATE_KEY } from "./issued-keys.ts";
import { isPlaceholder } from "./placeholder.ts";
import { withoutCommands } from "./secret-commands.ts";
import { withoutProse } from "./secret-prose.ts";

export { SECRET };

/** Removes what looks like a secret from the text, and keeps the name before it. */
export function withoutSecrets(text: string): string {
  const unlocked = text.replace(PRIVATE_KEY, SECRET);
  const unset = withoutCommands(withoutAssigned(unlocked));
  const unissued = ISSUED.reduce(
    (current, token) => current.replace(token, (found) => (isPlaceholder(found) ? found : SECRET)),
    unset,
  );
  return withoutProse(unissued);
}

/** Says whether a text holds what looks like a secret; an address without one does not. */
export function holdsSecret(text: string): boolean {
  const masks = (one: string) => one.split(SECRET).length;
  return hasSecretAddress(text) || masks(withoutSecrets(text)) > masks(text);
}
