import { hostContract } from "../host/contract.ts";
import { openCode2 } from "./port-driver.ts";

hostContract(openCode2);
