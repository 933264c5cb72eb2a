import { hostContract } from "../../plugin/test/host/contract.ts";
import { pi } from "./pi-driver.ts";

hostContract(pi);
