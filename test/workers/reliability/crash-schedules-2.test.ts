import { describe } from "vitest";
import { testSchedules } from "./crash-schedules.ts";

describe("an exchange in which everything fails", () => testSchedules(1));
