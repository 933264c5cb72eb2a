// Time zones and libfaketime, which move a host to another day.
import { existsSync } from "node:fs";

/** Two time zones, 25 hours apart: whatever the time, the day differs. */
export const TIMEZONES = { early: "Pacific/Pago_Pago", late: "Pacific/Kiritimati" } as const;

/** The zone in which it was noon when this process began: no test meets a midnight that it did not ask for. */
export const NOON = noonZone(new Date().getUTCHours());

function noonZone(utcHours: number): { readonly name: string; readonly offsetMs: number } {
  const hours = 12 - utcHours;
  // Names of the kind Etc/GMT+5 count west of Greenwich.
  const name = hours === 0 ? "Etc/GMT" : `Etc/GMT${hours > 0 ? "-" : "+"}${Math.abs(hours)}`;
  return { name, offsetMs: hours * 3_600_000 };
}

const LIBRARIES = [
  process.env.LIBFAKETIME ?? "",
  "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
  "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
  "/usr/lib/faketime/libfaketime.so.1",
];

/** Where libfaketime lies on this machine, if it does. */
export function libfaketime(): string | undefined {
  return LIBRARIES.find((path) => path !== "" && existsSync(path));
}

/** Variables that move a host's clock, e.g. `+1d`; only where libfaketime is installed. */
export function fakeTimeEnvironment(library: string, offset: string): Record<string, string> {
  return { LD_PRELOAD: library, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: "1" };
}

/** The same, with an offset that is read from a file at each look at the clock: it may change meanwhile. */
export function changingTimeEnvironment(
  library: string,
  offsetFile: string,
): Record<string, string> {
  return {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: offsetFile,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };
}
