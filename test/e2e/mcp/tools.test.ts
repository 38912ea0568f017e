/** The MCP server with real clients: the 2025 SDK, the 2.x client, and the inspector's command line. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Client as ModernClient } from "@modelcontextprotocol/client";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { collectTexts, computeCosts } from "../../../scripts/lib/token-cost.ts";
import { ROOT } from "../../../scripts/lib/exchange/wrangler.ts";
import { createTemporaryDirectory } from "../../support/exchange-process.ts";
import {
  ann,
  answer,
  connectLegacyClient,
  connectModernClient,
  type Content,
  findPhotoUri,
  findRef,
  PNG,
  readText,
  readThreadsOfAnn,
  stack,
} from "./stage.ts";

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
