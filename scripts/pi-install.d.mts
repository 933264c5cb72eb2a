// Types of pi-install.mjs.
export const PI_VERSION: string;
export function installPi(): { readonly program: string; readonly node: string };
