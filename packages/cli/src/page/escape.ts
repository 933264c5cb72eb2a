// Escapes text, JSON and scripts for a page.

/** Text as it may stand between tags and in attributes. */
export function html(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** JSON that can't end the script element that it stands in. */
export function jsonInPage(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

/** JavaScript that can't either. */
export function scriptInPage(code: string): string {
  return code.replaceAll("</script", "<\\/script");
}
