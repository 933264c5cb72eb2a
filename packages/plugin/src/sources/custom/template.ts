// Fills `{value}` and `{previous}` into templates.

/** What the words in braces of a template stand for. */
interface TemplateValues {
  readonly value: string;
  readonly previous: string;
}

/** Fills a template in one go: braces inside a value are text. */
export function fill(template: string, values: TemplateValues): string {
  return template.replace(/\{(value|previous)\}/g, (_braces, name: keyof TemplateValues) =>
    shown(values[name]),
  );
}

/** An empty file is context: the model is told that it is empty. */
function shown(value: string): string {
  return value.trim() === "" ? "(empty)" : value;
}
