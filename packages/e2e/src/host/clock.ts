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
