// Flags of the host in the environment.

/** As the host reads them. */
export function isOn(value: string | undefined): boolean {
  return value === "1" || value?.toLowerCase() === "true";
}
