// The plugin's settings where its ledger is measured by itself.

/**
 * What history and memory add is measured apart: a rewrite that pays is a rewrite, which the bill of the
 * ledger counts as waste, and with history no pass would have a long session before it.
 */
export const LEDGER_ALONE = {
  history: { rewrite: "off" },
  recall: { enabled: false },
  memory: { enabled: false },
  historian: { enabled: false },
} as const;
