// Reads the content of Pi's messages, as blocks and as text.
import type { PiContent, PiOther, PiUser } from "./pi.ts";

export function toContent(message: PiUser | PiOther): PiContent {
  switch (message.role) {
    case "user":
    case "custom":
      return message.content;
    case "bashExecution":
      return `Ran \`${message.command}\`\n${message.output}`;
    case "branchSummary":
    case "compactionSummary":
      return message.summary;
  }
}

export function toContentBlocks(content: PiContent) {
  return typeof content === "string" ? [{ type: "text", text: content } as const] : content;
}

export function joinText(content: PiContent): string {
  return toContentBlocks(content)
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n");
}
