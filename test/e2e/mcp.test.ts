/** The MCP server with real clients: the 2025 SDK, the 2.x client, and the inspector's command line. */
import { defined } from "../../src/mess/defined.ts";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import {
  createTaskSessionFromClient,
  type RawClientDispatch,
  resultFromTaskOutcome,
} from "@modelcontextprotocol/ext-tasks/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import {
  ElicitRequestSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client as Member, createClient } from "../../scripts/lib/client.ts";
import { collectTexts, computeCosts } from "../../scripts/lib/token-cost.ts";
import { ROOT } from "../../scripts/lib/exchange/wrangler.ts";
import {
  removeDirectories,
  type SharedExchange,
  joinExchange,
  createTemporaryDirectory,
} from "../support/exchange-process.ts";

const INFO = { name: "test", version: "1.0.0" };
const TASKS = "io.modelcontextprotocol/tasks";
const PNG = `data:image/png;base64,${Buffer.from(`\x89PNG\r\n\x1a\n${"pixel".repeat(2_000)}`, "latin1").toString("base64")}`;

const FORMS = { capabilities: { elicitation: {} } };
type FillForm = (form: { params: unknown }) => Promise<never>;

let stack: SharedExchange;
/** The person with the phone, who answers by HTTP. */
let ann: Member;
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

const buildAuthorizedOptions = () => ({
  requestInit: { headers: { Authorization: `Bearer ${stack.ready.keys.agent}` } },
});
const getAddress = () => new URL(stack.ready.mcp);

/** @param fillForm what the user answers a form with; without it, the client has no forms */
async function connectLegacyClient(fillForm?: FillForm): Promise<LegacyClient> {
  const made = new LegacyClient(INFO, fillForm && FORMS);
  if (fillForm) made.setRequestHandler(ElicitRequestSchema, fillForm);
  await made.connect(new LegacyTransport(getAddress(), buildAuthorizedOptions()));
  closing.push(() => made.close());
  return made;
}

async function connectModernClient(
  fillForm?: FillForm,
  capabilities: object = fillForm ? FORMS.capabilities : {},
): Promise<ModernClient> {
  const made = new ModernClient(INFO, {
    capabilities,
    versionNegotiation: { mode: { pin: "2026-07-28" } },
  });
  if (fillForm) made.setRequestHandler("elicitation/create", fillForm);
  await made.connect(new ModernTransport(getAddress(), buildAuthorizedOptions()));
  closing.push(() => made.close());
  return made;
}

interface Content {
  type: string;
  text?: string;
  data?: string;
}

const readText = (result: unknown): string =>
  ((result as { content: Content[] }).content ?? []).map(({ text }) => text ?? "").join("\n");

const findRef = (text: string): string => /\d{4}-\d\d-\d\d-\d{3,}[a-z0-9-]*/.exec(text)?.[0] ?? "";

/** Waits until the person's list shows a request with this intent; returns it. */
const readThreadsOfAnn = (intent: string): Promise<string> =>
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

const answer = (ref: string, text: string): Promise<unknown> =>
  ann.post(`/thread/${ref}`, {
    MESS: [{ response: { content: [text, { image: PNG }] } }, { status: { code: "completed" } }],
  });

const findPhotoUri = (text: string): string => /content:\/\/\S+/.exec(text)?.[0] ?? "";

describe.each([
  ["the 2025 SDK", connectLegacyClient],
  ["the 2.x client", connectModernClient],
] as const)("%s", (name, connect) => {
  /** Both clients have the same methods, but different types. */
  const open = async () => (await connect()) as unknown as ModernClient;

  it("an MCP client sends a request, waits with progress, and gets the person's text and photo", async () => {
    const mcp = await open();
    const intent = `Is the kettle off? (${name})`;
    const progress: (string | undefined)[] = [];
    const options = {
      onprogress: ({ message }: { message?: string | undefined }) => void progress.push(message),
    };

    const asked = mcp.callTool(
      {
        name: "mess_observe",
        arguments: { intent, requires: ["take-photo"], wait_seconds: 30 },
      },
      // The older SDK expects a schema as this argument.
      ...((name === "the 2025 SDK" ? [undefined, options] : [options]) as [typeof options]),
    );
    const ref = await readThreadsOfAnn(intent);
    await answer(ref, "Off and cold.");
    const text = readText(await asked);
    const photo = await mcp.callTool({
      name: "mess_fetch",
      arguments: { uri: findPhotoUri(text) },
    });

    expect(text).toMatch(/^ann-phone\b.*\n> Off and cold\./);
    expect(progress.join(" ")).toContain("ann-phone");
    expect((photo as { content: Content[] }).content[1]).toMatchObject({
      type: "image",
      data: PNG.split(",")[1],
    });
  });

  it("an MCP client lists tools, resources and prompts, reads bytes intact and completes refs", async () => {
    const mcp = await open();
    const asked = await mcp.callTool({
      name: "mess_observe",
      arguments: { intent: `Look here (${name})`, requires: ["take-photo"], wait_seconds: 0 },
    });
    const ref = findRef(readText(asked));
    await answer(ref, "Here.");
    const text = readText(await mcp.callTool({ name: "mess_status", arguments: { re: ref } }));

    const { tools } = await mcp.listTools();
    const { resources } = await mcp.listResources();
    const { prompts } = await mcp.listPrompts();
    const file = await mcp.readResource({ uri: findPhotoUri(text) });
    const { completion } = await mcp.complete({
      ref: { type: "ref/resource", uri: "thread://{ref}" },
      argument: { name: "ref", value: ref.slice(0, 14) },
    });

    expect(tools).toHaveLength(9);
    expect(resources.map(({ uri }) => uri)).toContain("mess://pending");
    expect(prompts.map((prompt) => prompt.name)).toContain("review");
    expect(file.contents[0]).toMatchObject({ mimeType: "image/png", blob: PNG.split(",")[1] });
    expect(completion.values).toContain(ref);
  });

  it("an MCP client that sends arguments of a wrong type gets an error from the bundled Worker", async () => {
    const mcp = await open();

    const result = await mcp.callTool({ name: "mess_observe", arguments: { intent: 7 } });

    expect(result.isError).toBe(true);
    expect(readText(result)).toMatch(/^bad_parameter: .*intent/);
  });

  it("an MCP client that names an unknown ref gets an error with the tool that lists refs", async () => {
    const mcp = await open();

    const result = await mcp.callTool({ name: "mess_cancel", arguments: { re: "2001-01-01-001" } });

    expect(result.isError).toBe(true);
    expect(readText(result)).toContain("mess_status");
  });
});

describe("the 2.x client", () => {
  it("an MCP client is notified of changes to a resource it subscribed to", async () => {
    const mcp = await connectModernClient();
    const asked = await mcp.callTool({
      name: "mess_observe",
      arguments: { intent: "Watch this", requires: ["take-photo"], wait_seconds: 0 },
    });
    const uri = `thread://${findRef(readText(asked))}`;
    const updated: string[] = [];
    mcp.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      updated.push(params.uri);
    });
    const subscription = await mcp.listen({ resourceSubscriptions: [uri] });

    await ann.post(`/thread/${findRef(readText(asked))}`, {
      MESS: [{ status: { code: "claimed" } }],
    });

    await expect.poll(() => updated, { timeout: 10_000 }).toContain(uri);
    await subscription.close();
  });
});

describe("the 2025 SDK", () => {
  it("a client of the 2025 revisions is notified of changes to a resource it subscribed to", async () => {
    const mcp = await connectLegacyClient();
    const asked = await mcp.callTool({
      name: "mess_observe",
      arguments: { intent: "Watch this too", requires: ["take-photo"], wait_seconds: 0 },
    });
    const ref = findRef(readText(asked));
    const uri = `thread://${ref}`;
    const updated: string[] = [];
    mcp.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
      updated.push(params.uri);
    });

    await mcp.subscribeResource({ uri });
    await ann.post(`/thread/${ref}`, { MESS: [{ status: { code: "claimed" } }] });

    await expect.poll(() => updated, { timeout: 10_000 }).toContain(uri);
    await mcp.unsubscribeResource({ uri });
  });
});

describe("forms for the user of a client", () => {
  it.each(["2025", "2026"] as const)(
    "a client of %s answers a person's question by its form, without another tool",
    async (era) => {
      const forms: unknown[] = [];
      const fillForm: FillForm = async ({ params }) => {
        forms.push(params);
        return { action: "accept", content: { answer: "the red one" } } as never;
      };
      const mcp =
        era === "2025" ? await connectLegacyClient(fillForm) : await connectModernClient(fillForm);
      const intent = `Paint a chair (${era})`;
      const asked = mcp.callTool({
        name: "mess_do",
        arguments: { intent, requires: ["home-access"] },
      });
      const ref = await readThreadsOfAnn(intent);
      const questions = [
        { id: "chair", question: "Which chair?", options: ["the red one", "all"] },
      ];
      await ann.post(`/thread/${ref}`, {
        MESS: [{ status: { code: "needs_input", questions } }],
      });
      await expect
        .poll(async () => JSON.stringify(await ann.get(`/mess/${ref}`)), { timeout: 20_000 })
        .toContain("the red one");
      await answer(ref, "Painted.");

      const text = readText(await asked);

      expect(text).toContain("> Painted.");
      expect(forms).toHaveLength(1);
      expect(forms[0]).toMatchObject({
        requestedSchema: { properties: { answer: { enum: ["the red one", "all"] } } },
      });
    },
  );
});

describe("the client of the tasks extension", () => {
  const capabilities = { extensions: { [TASKS]: {} }, elicitation: {} };
  const framing = {
    protocolVersion: "2026-07-28",
    clientInfo: INFO,
    clientCapabilities: capabilities,
  };

  let sent = 0;

  /** The SDK's client does not support tasks, so the extension's client sends requests that may return one. */
  const dispatch: RawClientDispatch = async (request) => {
    const { method, params } = request as { method: string; params: Record<string, string> };
    const name = params["taskId"] ?? params["name"];
    const response = await fetch(getAddress(), {
      method: "POST",
      headers: {
        ...buildAuthorizedOptions().requestInit.headers,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        "MCP-Protocol-Version": framing.protocolVersion,
        "Mcp-Method": method,
        ...defined({ "Mcp-Name": name }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++sent, ...(request as object) }),
    });
    const { result, error } = (await response.json()) as { result?: object; error?: object };
    return (error ? { kind: "error", error } : { kind: "result", result }) as Awaited<
      ReturnType<RawClientDispatch>
    >;
  };

  it("an MCP task completes with the answer after its user answered the person's question", async () => {
    const mcp = await connectModernClient(undefined, capabilities);
    const asked: string[] = [];
    const session = createTaskSessionFromClient(mcp as never, {
      endpointId: "exchange",
      rawDispatch: dispatch,
      v2RequestFraming: framing,
      onInputRequest: async (request) => {
        asked.push(JSON.stringify(request));
        return { action: "accept", content: { answer: "the red one" } } as never;
      },
    });
    const intent = "Move the chair";
    const execution = await session.callTool("mess_do", { intent, requires: ["home-access"] });
    const settled = execution.settle();
    const ref = await readThreadsOfAnn(intent);
    await ann.post(`/thread/${ref}`, {
      MESS: [{ status: { code: "needs_input", questions: ["Which chair?"] } }],
    });
    await expect
      .poll(async () => JSON.stringify(await ann.get(`/mess/${ref}`)), { timeout: 20_000 })
      .toContain("the red one");
    await answer(ref, "Moved the red one.");

    const { outcome } = await settled;
    const text = readText(resultFromTaskOutcome(outcome));

    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain("Which chair?");
    expect(text).toMatch(/^ann-phone\b.*\n> Moved the red one\./);
    await session.close();
  });
});

describe("token costs for a model", () => {
  it("tool descriptions and results stay within their budget of tokens", async () => {
    const costs = computeCosts(await collectTexts(stack.ready));

    for (const { what, tokens, budget } of costs) {
      expect(tokens, what).toBeGreaterThan(20);
      expect(tokens, what).toBeLessThanOrEqual(budget);
    }
  });
});

describe("the inspector's command line", () => {
  const LAUNCHER = join(
    ROOT,
    "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
  );

  const inspect = async (era: string, ...args: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(
      join(ROOT, "node_modules", ".bin", "node"),
      [
        LAUNCHER,
        "--cli",
        stack.ready.mcp,
        "--transport=http",
        `--protocol-era=${era}`,
        "--format=json",
        `--header=Authorization: Bearer ${stack.ready.keys.agent}`,
        ...args,
      ],
      { env: { ...process.env, HOME: createTemporaryDirectory() }, maxBuffer: 16 * 1024 * 1024 },
    );
    return stdout;
  };

  it.each(["legacy", "modern"])(
    "the MCP inspector (%s) lists tools without an error, and calls them",
    async (era) => {
      const listed = await inspect(era, "--method=tools/list", "--strict");
      const called = await inspect(
        era,
        "--method=tools/call",
        "--tool-name=mess_observe",
        `--tool-args-json=${JSON.stringify({ intent: `Peek (${era})`, requires: ["take-photo"], wait_seconds: 0 })}`,
      );
      const resource = await inspect(era, "--method=resources/read", "--uri=mess://capabilities");

      expect(listed).toContain("mess_capabilities");
      expect(called).toContain("ann-phone");
      expect(resource).toContain("vacuum-floor");
    },
  );
});
