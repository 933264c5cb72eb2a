export function pixelsOf(name: string): number;
export function background(): string;
export function contentWidth(): number;
