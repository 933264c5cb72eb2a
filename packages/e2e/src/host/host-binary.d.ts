declare module "*/scripts/host-binary.mjs" {
  export function hostBinary(): string;
}
