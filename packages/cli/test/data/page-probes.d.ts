export function countPixels(name: string): number;
export function background(): string;
export function contentWidth(): number;
export function cutTexts(): readonly string[];
