import { hostContract } from "./contract.ts";
import { openCode } from "./opencode.ts";

hostContract(openCode);
