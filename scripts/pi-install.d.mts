// Types of pi-install.mjs.
export const PI_PINNED: string;
export const PI_OLDEST: string;
export const PI_VERSION: string;
export function installPi(): { readonly program: string; readonly node: string };
