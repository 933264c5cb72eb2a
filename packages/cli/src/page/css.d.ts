// Types of style sheets that are imported as text.

/** A style sheet that is imported as text: `import style from "./page.css" with { type: "text" }`. */
declare module "*.css" {
  const text: string;
  export default text;
}
