// The look of the README's charts, in the reader's light or dark scheme.
// Folder: The README's pictures, and what is played for them.

export const PICTURE_STYLE = `<style>
text { font: 11px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #3d444d; }
.head { font-size: 16px; font-weight: 600; fill: #1f2328; }
.figure { font-size: 9px; }
.event { font-size: 10px; font-style: italic; }
.without { fill: #c8563c; }
.with { fill: #2f7d5b; }
line { stroke: #9aa4ae; }
@media (prefers-color-scheme: dark) {
  text { fill: #b8c0c8; }
  .head { fill: #f0f3f6; }
  .without { fill: #e2745a; }
  .with { fill: #53b487; }
  line { stroke: #5b656f; }
}
</style>`;
