/** Deliveries of a started exchange over real connections to a local server, also after a kill. */
import { afterAll, describe, expect, it, vi } from "vitest";
import { createClient } from "../../scripts/lib/client.ts";
import { expectNaming } from "../support/naming.ts";
import { createNtfy } from "../support/channels/ntfy.ts";
import { serveLocally, type Served } from "../support/local-servers/serve.ts";
import { removeDirectories, type Stack, startStack } from "../support/exchange-process.ts";

let stack: Stack | undefined;
let served: Served | undefined;
afterAll(async () => {
  await stack?.stop();
  await served?.stop();
  removeDirectories();
});

const until = (check: () => void | Promise<void>) =>
  vi.waitFor(check, { timeout: 40_000, interval: 50 });

describe("a started exchange", () => {
  it(
    "a started exchange notifies a phone, shows who claimed the request, and sends again after a kill",
    { timeout: 180_000 },
    async () => {
      const server = createNtfy();
      served = await serveLocally(server.handle);
      stack = await startStack();
      const { keys, origin } = stack.ready;
      const owner = createClient(origin, keys.owner);
      await owner.mess(`MESS:
  - config:
      executor:
        id: ann-phone
        name: Ann
        capabilities: [take-photo]
        notify: { ntfy: "${served.origin}/ann-phone" }
`);
      const agent = createClient(origin, keys.agent);
      const { ref } = await agent.mess(
        "MESS: [{ request: { intent: photograph the fridge, requires: [take-photo] } }]",
      );

      await until(() => expect(server.shown("ann-phone")).toHaveLength(1));
      const [offer] = server.messages;
      expect(offer).toMatchObject({ title: expectNaming("photograph the fridge"), priority: 3 });
      const page = await fetch(offer!.click!);
      expect(offer!.click).toContain(`${origin}/respond?`);
      expect(page.status).toBe(200);

      const ann = createClient(origin, keys.executors["ann-phone"]!);
      await ann.post(`/thread/${ref}`, { MESS: [{ status: { code: "claimed" } }] });
      await until(() => expect(server.shown("ann-phone")[0]?.message).toEqual(expectNaming("Ann")));

      server.outage("broken");
      await agent.post(`/thread/${ref}`, { MESS: [{ followup: { message: "both doors" } }] });
      await until(async () => expect(await readState(agent, ref!, "news")).toBe("due"));
      await stack.kill();
      server.endOutage();
      stack = await startStack(stack.state);

      const again = createClient(stack.ready.origin, keys.agent);
      await until(async () => expect(await readState(again, ref!, "news")).toBe("delivered"));
      expect(server.messages.at(-1)?.title).toContain("both doors");
    },
  );
});

async function readState(
  agent: ReturnType<typeof createClient>,
  ref: string,
  kind: string,
): Promise<string | undefined> {
  const { deliveries } = await agent.get<{ deliveries: { kind: string; state: string }[] }>(
    `/mess/${ref}/deliveries`,
  );
  return deliveries.findLast((one) => one.kind === kind)?.state;
}
