/** The texts whose cost is bounded, made by the server's own functions. */
import type { Principal } from "../../src/auth/principal.ts";
import { describeThread } from "../../src/ingress/mcp/describe.ts";
import { INSTRUCTIONS } from "../../src/ingress/mcp/instructions.ts";
import { toolList } from "../../src/ingress/mcp/tool-calls.ts";
import type { ThreadView } from "../../src/thread/stub.ts";
import { estimateTokens } from "./tokens.ts";

const viewer: Principal = { household: "lake-house", actor: "scout", role: "agent" };
const two = [viewer, { ...viewer, household: "city-flat" }] as const;

const REF = "2026-03-14-027-boat-cover";
const AT = "2026-03-14T09:26:53+01:00";

/** A person claimed, asked and was answered, then said two sentences and sent a photo. */
const answered: ThreadView = {
  envelope: {
    ref: REF,
    client_id: "boat-cover",
    requestor: "scout",
    executor: "marta",
    status: "completed",
    created: AT,
    updated: AT,
    intent: "Check whether the storm has torn the cover of the boat, and tie it down again",
    priority: "elevated",
    history: [
      { action: "created", at: AT, by: "scout" },
      { action: "dispatched", at: AT, by: "exchange", note: "offered to marta, jonas" },
    ],
  },
  messages: [
    {
      from: "scout",
      received: AT,
      channel: "mcp",
      MESS: [{ request: { intent: "Check whether the storm has torn the cover of the boat" } }],
    },
    {
      from: "marta",
      received: AT,
      channel: "respond",
      re: REF,
      MESS: [{ status: { code: "claimed" } }],
    },
    {
      from: "marta",
      received: AT,
      channel: "respond",
      re: REF,
      MESS: [
        {
          response: {
            content: [
              "One corner had come loose and flapped in the wind, but nothing is torn. I tied it to the jetty with the blue rope.",
              { image: { file: "att-002-image-cover.jpg", mime: "image/jpeg", size: 233_431 } },
            ],
          },
        },
        { status: { code: "completed" } },
      ],
    },
  ],
  attachments: [
    { name: "att-002-image-cover.jpg", serial: 2, mime: "image/jpeg", size: 233_431, key: "" },
  ],
  cursor: 4,
  open: { questions: [], suggestions: [] },
};

const pending: ThreadView = {
  ...answered,
  envelope: { ...answered.envelope, executor: null, status: "pending" },
  messages: answered.messages.slice(0, 1),
  attachments: [],
};

export const budgets = [
  { name: "tools", most: 4_000, what: "the whole list of tools" },
  { name: "toolsOfSeveral", most: 4_000, what: "the list for a caller with two households" },
  { name: "instructions", most: 400, what: "the server's instructions" },
  { name: "answered", most: 300, what: "the status of an answered request with a photo" },
  { name: "pending", most: 300, what: "the status of a request that nobody answered yet" },
] as const;

export type Costs = Record<(typeof budgets)[number]["name"], number>;

/** Estimated tokens of each. */
export const measure = (): Costs => ({
  tools: estimateTokens(JSON.stringify(toolList({ principals: [viewer], isValid }))),
  toolsOfSeveral: estimateTokens(JSON.stringify(toolList({ principals: two, isValid }))),
  instructions: estimateTokens(INSTRUCTIONS),
  answered: estimateTokens(describeThread(answered, viewer)),
  pending: estimateTokens(describeThread(pending, viewer)),
});

const isValid = async (): Promise<boolean> => true;
