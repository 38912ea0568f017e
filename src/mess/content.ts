import * as z from "zod";
import type { Json } from "./json.ts";
export type Entry = string | { [key: string]: Json };
export const entries = z.array(z.json()) as unknown as z.ZodType<Entry[]>;
