import { describe } from "vitest";
import { testSchedules } from "./crash-schedules.ts";

describe("an exchange with faults in every call", () => testSchedules(1));
