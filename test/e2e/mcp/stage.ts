/** A started exchange, the person with the phone, and real clients of both SDKs of MCP. */
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect } from "vitest";
import { type Client as Member, createClient } from "../../../scripts/lib/client.ts";
import {
  joinExchange,
  removeDirectories,
  type SharedExchange,
} from "../../support/exchange-process.ts";

export const INFO = { name: "test", version: "1.0.0" };
export const PNG = `data:image/png;base64,${Buffer.from(`\x89PNG\r\n\x1a\n${"pixel".repeat(2_000)}`, "latin1").toString("base64")}`;

const FORMS = { capabilities: { elicitation: {} } };
export type FillForm = (form: { params: unknown }) => Promise<never>;

export let stack: SharedExchange;
/** The person with the phone, who answers by HTTP. */
export let ann: Member;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  stack = await joinExchange();
  const { origin, keys } = stack.ready;
  ann = createClient(origin, keys.executors["ann-phone"] ?? "");
});

afterAll(async () => {
  for (const close of closing) await close();
  removeDirectories();
});

/** Who connects, and to which address of the MCP server. */
export interface Connection {
  /** Default: the agent's. */
  key?: string;
  /** Default: `/mcp`. */
  path?: string;
}

export const buildAuthorizedOptions = ({ key = stack.ready.keys.agent }: Connection = {}) => ({
  requestInit: { headers: { Authorization: `Bearer ${key}` } },
});
export const getAddress = ({ path = "/mcp" }: Connection = {}) => new URL(path, stack.ready.origin);

/** @param fillForm what the user answers a form with; without it, the client has no forms */
export async function connectLegacyClient(
  fillForm?: FillForm,
  connection?: Connection,
): Promise<LegacyClient> {
  const made = new LegacyClient(INFO, fillForm && FORMS);
  if (fillForm) made.setRequestHandler(ElicitRequestSchema, fillForm);
  await made.connect(
    new LegacyTransport(getAddress(connection), buildAuthorizedOptions(connection)),
  );
  closing.push(() => made.close());
  return made;
}

export async function connectModernClient(
  fillForm?: FillForm,
  capabilities: object = fillForm ? FORMS.capabilities : {},
  connection?: Connection,
): Promise<ModernClient> {
  const made = new ModernClient(INFO, {
    capabilities,
    versionNegotiation: { mode: { pin: "2026-07-28" } },
  });
  if (fillForm) made.setRequestHandler("elicitation/create", fillForm);
  await made.connect(
    new ModernTransport(getAddress(connection), buildAuthorizedOptions(connection)),
  );
  closing.push(() => made.close());
  return made;
}

export interface Content {
  type: string;
  text?: string;
  data?: string;
}

export const readText = (result: unknown): string =>
  ((result as { content: Content[] }).content ?? []).map(({ text }) => text ?? "").join("\n");

export const findRef = (text: string): string =>
  /\d{4}-\d\d-\d\d-\d{3,}[a-z0-9-]*/.exec(text)?.[0] ?? "";

/** Waits until the person's list shows a request with this intent; returns it. */
export const readThreadsOfAnn = (intent: string): Promise<string> =>
  expect
    .poll(
      async () => {
        const { threads } = await ann.get<{ threads: { ref: string; intent: string }[] }>("/mess");
        return threads.find((thread) => thread.intent === intent)?.ref ?? "";
      },
      { timeout: 15_000 },
    )
    .not.toBe("")
    .then(async () => {
      const { threads } = await ann.get<{ threads: { ref: string; intent: string }[] }>("/mess");
      return threads.find((thread) => thread.intent === intent)?.ref ?? "";
    });

export const answer = (ref: string, text: string): Promise<unknown> =>
  ann.post(`/thread/${ref}`, {
    MESS: [{ response: { content: [text, { image: PNG }] } }, { status: { code: "completed" } }],
  });

export const findPhotoUri = (text: string): string => /content:\/\/\S+/.exec(text)?.[0] ?? "";
