// Run by managed-files.test.ts in a process of its own: sweeps as a user who may not remove what is there.
import { ManagedFiles } from "../../../src/features/tool-output/managed-files.ts";

const NOBODY = 65_534;
if (process.getuid?.() === 0) process.setuid?.(NOBODY);
const swept = await new ManagedFiles(process.argv[2] ?? "", Date.now).sweep(1_000);
console.log(JSON.stringify(swept));
