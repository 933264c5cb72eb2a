// Starts a host and the provider it talks to.
// Folder: The test bench: the real host, mock providers, benchmarks and the demo.
import { type Host, type HostSettings, STOCK, startHost } from "./host/host.ts";
import { type MockProvider, startProvider } from "./provider/server.ts";

/** A host and the provider it talks to. */
export interface Bench {
  readonly host: Host;
  readonly provider: MockProvider;
  close(): Promise<void>;
}

/** Starts both; what `settings` leaves out is the stock host's. */
export async function openBench(
  settings: Partial<Omit<HostSettings, "providerUrl">>,
): Promise<Bench> {
  const provider = await startProvider();
  const host = await startHost({ ...STOCK, ...settings, providerUrl: provider.url });
  return {
    host,
    provider,
    async close() {
      await host.stop();
      await provider.stop();
    },
  };
}
