// The host's string as it was taken apart, put together again: byte for byte the same.
import type { parseHostSystem } from "../../src/sources/host-system.ts";

type HostSystem = NonNullable<ReturnType<typeof parseHostSystem>>;

export function renderHostSystem({ pieces }: HostSystem): string {
  return pieces.map(({ text }) => text).join("\n");
}
