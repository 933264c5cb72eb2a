// What secrets look like, and texts without them. Pure; every pattern takes linear time.
import { hasSecretAddress, SECRET, withoutAssigned } from "./assigned-secrets.ts";
import { ISSUED, PRIVATE_KEY } from "./issued-keys.ts";
import { isPlaceholder } from "./placeholder.ts";
import { withoutCommands } from "./secret-commands.ts";
import { withoutProse } from "./secret-prose.ts";

export { SECRET };

/** The text with what looks like a secret taken out; what names it stays. */
export function withoutSecrets(text: string): string {
  const unlocked = text.replace(PRIVATE_KEY, SECRET);
  const unset = withoutCommands(withoutAssigned(unlocked));
  const unissued = ISSUED.reduce(
    (current, token) => current.replace(token, (found) => (isPlaceholder(found) ? found : SECRET)),
    unset,
  );
  return withoutProse(unissued);
}

/** Whether a text holds what looks like a secret; an address without one does not. */
export function holdsSecret(text: string): boolean {
  const masks = (one: string) => one.split(SECRET).length;
  return hasSecretAddress(text) || masks(withoutSecrets(text)) > masks(text);
}
