import { defined } from "../../../../src/mess/defined.ts";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../../src/mess/limits.ts";
import {
  type Caller,
  expectOkJson,
  createFreshHousehold,
  readRefusal,
  countThreads,
} from "../../support.ts";
import { PNG } from "../../../support/media/png.ts";

const sendRaw = (
  caller: Caller,
  body: BodyInit,
  type?: string,
  more: Record<string, string> = {},
) =>
  caller.fetch("/mess", {
    method: "POST",
    body,
    headers: { ...defined({ "Content-Type": type }), ...more },
  });

describe("POST /mess", () => {
  it("a request creates a thread and is acked with 201", async () => {
    const { agent } = await createFreshHousehold();

    const response = await agent.postBlocks({
      request: { id: "fridge", intent: "look into the fridge" },
    });

    expect(response.status).toBe(201);
    const { MESS } = await expectOkJson(response.clone());
    expect(MESS).toEqual([
      {
        ack: {
          re: "fridge",
          ref: expect.stringMatching(/^\d{4}-\d\d-\d\d-001-fridge$/),
          received_at: expect.any(String),
        },
      },
    ]);
    expect(response.headers.get("Location")).toBe(`/mess/${MESS[0].ack.ref}`);
  });

  it.each([
    ["application/yaml", "MESS:\n  - request:\n      intent: water the basil\n"],
    ["application/x-yaml", "request: {intent: water the basil}"],
    ["text/yaml; charset=utf-8", "- request: {intent: water the basil}"],
    ["text/plain", "water the basil"],
    ["application/json", '{"MESS": [{"request": {"intent": "water the basil"}}]}'],
    ["application/json", '"water the basil"'],
    [undefined, new TextEncoder().encode("water the basil")],
  ])("a request is read as %s", async (type, body) => {
    const { agent } = await createFreshHousehold();

    const { MESS } = await expectOkJson(await sendRaw(agent, body, type));

    const { envelope } = await agent.read(`/mess/${MESS[0].ack.ref}`);
    expect(envelope.intent).toBe("water the basil");
  });

  it("an ack is in YAML if the caller accepts YAML", async () => {
    const { agent } = await createFreshHousehold();

    const response = await sendRaw(agent, "water the basil", "text/plain", {
      Accept: "application/yaml",
    });

    expect(response.headers.get("Content-Type")).toBe("application/yaml; charset=utf-8");
    expect(await response.text()).toMatch(/^MESS:\n  - ack:\n/);
  });

  it("a batch is acked once, with a ref for each request", async () => {
    const { agent } = await createFreshHousehold();

    const { MESS } = await expectOkJson(
      await agent.postBlocks(
        { request: { id: "buy", intent: "buy onions" } },
        { request: { id: "dice", intent: "dice them", constraints: { depends_on: ["buy"] } } },
      ),
    );

    expect(MESS).toHaveLength(1);
    expect(MESS[0].ack.requests.map(({ id }: { id: string }) => id)).toEqual(["buy", "dice"]);
  });

  it("a multipart message contains the files that it names", async () => {
    const { agent, ann } = await createFreshHousehold();
    const ref = await agent.createThread("what is on the shelf?", { requires: ["look"] });
    const form = new FormData();
    form.append(
      "message",
      `MESS: [{response: {re: ${ref}, content: [{image: {file: shelf.png}}, two jars]}}]`,
    );
    form.append("photo", new File([PNG], "shelf.png", { type: "image/png" }));

    const response = await ann.fetch("/mess", { method: "POST", body: form });

    expect(response.status).toBe(200);
    const { attachments } = await agent.read(`/mess/${ref}`);
    expect(attachments).toEqual([
      {
        name: "att-001-image-shelf.png",
        mime: "image/png",
        size: PNG.byteLength,
        original: "shelf.png",
        url: `/mess/${ref}/attachments/att-001-image-shelf.png`,
      },
    ]);
    const bytes = await (await agent.fetch(attachments[0].url)).arrayBuffer();
    expect(new Uint8Array(bytes)).toEqual(PNG);
  });

  it("a file that no message names is refused, so that no file is lost", async () => {
    const { agent } = await createFreshHousehold();
    const form = new FormData();
    form.append("message", "what is this?");
    form.append("photo", new File(["x"], "plant.jpg", { type: "image/jpeg" }));

    const response = await agent.fetch("/mess", { method: "POST", body: form });

    expect(await readRefusal(response)).toBe("400 bad_attachment");
    expect(await countThreads(agent)).toBe(0);
  });

  it("a query is answered in the response", async () => {
    const { agent } = await createFreshHousehold();

    const { MESS } = await expectOkJson(
      await agent.postBlocks({ query: { type: "capabilities" } }),
    );

    expect(JSON.stringify(MESS[0].response.content)).toContain("vacuum-floor");
  });

  it("a body of several messages gets 207 with those that were refused", async () => {
    const { agent } = await createFreshHousehold();
    const ref = await agent.createThread("water the basil");

    const response = await agent.postBlocks(
      { followup: { re: ref, message: "the small pot too" } },
      { followup: { re: "2020-01-01-001", message: "nobody reads this" } },
    );

    expect(response.status).toBe(207);
    const { MESS } = await response.json<{ MESS: { ack?: object; error?: { code: string } }[] }>();
    expect(MESS[0]?.ack).toBeDefined();
    expect(MESS[1]?.error?.code).toBe("not_found");
  });

  it.each([
    [
      "a form of a browser",
      "a=b",
      "application/x-www-form-urlencoded",
      "415 unsupported_media_type",
    ],
    ["XML", "<a/>", "application/xml", "415 unsupported_media_type"],
    ["another charset", "water", "text/plain; charset=utf-16", "400 bad_encoding"],
    ["invalid UTF-8", new Uint8Array([0x61, 0xff, 0x62]), "text/plain", "400 bad_encoding"],
    ["an empty body", "", "text/plain", "400 empty_message"],
    ["blanks", "  \n ", "text/plain", "400 empty_message"],
    ["invalid JSON", '{"MESS": [', "application/json", "400 bad_json"],
    ["invalid YAML", "MESS: [", "application/yaml", "400 bad_yaml"],
    ["an invalid form", "--x", "multipart/form-data; boundary=x", "400 bad_multipart"],
    ["a form without a boundary", "--x", "multipart/form-data", "400 bad_multipart"],
    ["an unknown type", "MESS: [{wish: {intent: x}}]", "application/yaml", "400 unknown_type"],
    ["only null", "null", "application/json", "400 empty_message"],
  ])("the body %s is refused, and stores nothing", async (_what, body, type, refused) => {
    const { agent } = await createFreshHousehold();

    expect(await readRefusal(await sendRaw(agent, body, type))).toBe(refused);

    expect(await countThreads(agent)).toBe(0);
  });

  it("a body that cannot be parsed is refused with line, column and path", async () => {
    const { agent } = await createFreshHousehold();

    const response = await sendRaw(agent, "MESS:\n  - request:\n      id: x\n", "application/yaml");

    expect(response.status).toBe(400);
    const { error } = await response.json<{ error: object }>();
    expect(error).toMatchObject({
      code: "missing_field",
      path: expect.stringContaining("intent"),
      line: expect.any(Number),
      column: expect.any(Number),
      hint: expect.any(String),
    });
  });

  it("a body that is announced as too large is refused before it is read", async () => {
    const { agent } = await createFreshHousehold();
    const body = new Uint8Array(LIMITS.bodyBytes + 1).fill(97);

    expect(await readRefusal(await sendRaw(agent, body, "text/plain"))).toBe("413 too_large");
  });

  it("a body of unknown length is refused as soon as it is too large", async () => {
    const { agent } = await createFreshHousehold();
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536;
        if (sent > 64 * 1024 * 1024) controller.close();
        else controller.enqueue(new Uint8Array(65_536).fill(97));
      },
    });

    expect(await readRefusal(await sendRaw(agent, body, "text/plain"))).toBe("413 too_large");

    expect(sent).toBeLessThan(3 * LIMITS.bodyBytes);
  });

  it("a compressed body is refused", async () => {
    const { agent } = await createFreshHousehold();

    const response = await sendRaw(agent, "water", "text/plain", { "Content-Encoding": "gzip" });

    expect(await readRefusal(response)).toBe("415 unsupported_media_type");
  });

  it("requests by executors and configuration by agents are refused", async () => {
    const { agent, ann } = await createFreshHousehold();

    expect(await readRefusal(await ann.postBlocks({ request: { intent: "tea" } }))).toBe(
      "403 wrong_role",
    );
    expect(
      await readRefusal(
        await agent.postBlocks({ config: { executor: { id: "x", capabilities: [] } } }),
      ),
    ).toBe("403 wrong_role");
  });
});

describe("an idempotency key", () => {
  const createThread = (caller: Caller, intent: string, key: string) =>
    caller.post("/mess", { MESS: [{ request: { intent } }] }, { "Idempotency-Key": key });

  it("a repeated call with the same idempotency key takes effect once and gets the same response", async () => {
    const { agent } = await createFreshHousehold();

    const first = await (await createThread(agent, "water the basil", "one")).text();
    const again = await (await createThread(agent, "water the basil", "one")).text();

    expect(again).toBe(first);
    expect(await countThreads(agent)).toBe(1);
  });

  it("an idempotency key with another body is refused", async () => {
    const { agent } = await createFreshHousehold();
    await createThread(agent, "water the basil", "one");

    expect(await readRefusal(await createThread(agent, "water the mint", "one"))).toBe(
      "409 idempotency_conflict",
    );
  });

  it("an idempotency key also covers messages to threads", async () => {
    const { agent, ann } = await createFreshHousehold();
    const ref = await agent.createThread("look at the basil", { requires: ["look"] });
    const claim = () =>
      ann.post(
        "/mess",
        { MESS: [{ status: { re: ref, code: "claimed" } }] },
        { "Idempotency-Key": "claim" },
      );

    const first = await claim();
    const again = await claim();

    expect([first.status, again.status]).toEqual([200, 200]);
    expect(await again.text()).toBe(await first.text());
  });

  it.each([" ", "with space", "ü", "", "x".repeat(256)])(
    "the idempotency key %j is refused",
    async (key) => {
      const { agent } = await createFreshHousehold();
      const response = await agent.post(
        "/mess",
        { request: { intent: "x" } },
        { "Idempotency-Key": key },
      );

      // Blanks around a header's value are removed, so an empty value equals a missing one.
      expect(await readRefusal(response)).toBe("400 bad_parameter");
      expect(await countThreads(agent)).toBe(0);
    },
  );
});
