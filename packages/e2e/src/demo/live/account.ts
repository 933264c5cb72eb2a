// The real provider that an API key in the environment selects.
import type { Caching } from "../../billing/rates.ts";

/** A real provider's model, and the way to it. */
export interface Account {
  readonly providerID: string;
  /** Name of the variable that holds the key; the key itself goes into no file. */
  readonly keyVariable: string;
  readonly key: string;
  readonly baseURL: string;
  readonly npm: string;
  readonly model: string;
  readonly caching: Caching;
}

interface Provider extends Omit<Account, "key"> {
  readonly urlVariable: string;
}

const PROVIDERS: readonly Provider[] = [
  {
    providerID: "anthropic",
    keyVariable: "ANTHROPIC_API_KEY",
    urlVariable: "ANTHROPIC_BASE_URL",
    baseURL: "https://api.anthropic.com/v1",
    npm: "@ai-sdk/anthropic",
    model: "claude-haiku-4-5",
    caching: "breakpoints",
  },
  {
    providerID: "openai",
    keyVariable: "OPENAI_API_KEY",
    urlVariable: "OPENAI_BASE_URL",
    baseURL: "https://api.openai.com/v1",
    npm: "@ai-sdk/openai",
    model: "gpt-5-mini",
    caching: "automatic",
  },
];

export const NO_KEY = [
  "--live plays against a real provider and needs its key in the environment:",
  ...PROVIDERS.map(
    ({ keyVariable, model }) => `  ${keyVariable}=…  (${model}; another by --model)`,
  ),
  "Without a key, `npm run demo` plays the same on a mock.",
].join("\n");

/** The first provider with a key; null where there is none. */
export function chooseAccount(env: NodeJS.ProcessEnv, model: string | null): Account | null {
  for (const { urlVariable, ...provider } of PROVIDERS) {
    const key = env[provider.keyVariable];
    if (!key) continue;
    return {
      ...provider,
      key,
      baseURL: env[urlVariable] || provider.baseURL,
      model: model ?? provider.model,
    };
  }
  return null;
}
