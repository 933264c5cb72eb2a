// Declares what the edge uses of Pi's own package, which Pi provides to extensions.
declare module "@earendil-works/pi-coding-agent" {
  /** Makes Pi's own summary. Rejects where the provider refuses. */
  export function compact(
    preparation: object,
    model: object,
    apiKey: string | undefined,
    headers: object | undefined,
    instructions: string,
    signal: AbortSignal,
  ): Promise<object>;
}
