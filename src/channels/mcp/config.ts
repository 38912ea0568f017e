/** A robot's MCP server in a `config` block: its URL, a bearer token, and the tool to call. */
import * as z from "zod";
import type { ChannelConfig } from "../channel.ts";
import {
  noSettingsSchema,
  secretSchema,
  urlSchema,
  shortTextSchema,
} from "../shared/config-fields.ts";

const addressSchema = z.union([
  urlSchema,
  z.object({ url: urlSchema, token: secretSchema.optional(), tool: shortTextSchema.optional() }),
]);
export type McpAddress = z.output<typeof addressSchema>;

export const mcpConfig = {
  settings: noSettingsSchema,
  address: addressSchema,
  secrets: ["token"],
  secretAddress: "beyond origin",
  isMachine: true,
} as const satisfies ChannelConfig;
