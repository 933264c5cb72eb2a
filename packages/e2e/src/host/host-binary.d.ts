// Types of scripts/host-binary.mjs.

declare module "*/scripts/host-binary.mjs" {
  export function hostBinary(): string;
}
