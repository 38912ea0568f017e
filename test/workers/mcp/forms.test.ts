import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Principal } from "../../../src/auth/principal.ts";
import type { McpCaller } from "../../../src/ingress/mcp/caller.ts";
import { serveCaller } from "../../../src/ingress/mcp/route.ts";
import { type Caller, createFreshHousehold, ORIGIN } from "../support.ts";
import {
  buildLegacyRequest,
  callRpc,
  openSession,
  readStream,
  type RpcRequest,
  type StreamMessage,
} from "./support.ts";

const FORMS = { elicitation: {} };
const QUESTION = { id: "chair", question: "Which chair?", options: ["red", "blue"] };

interface OpenCall {
  /** The form that the client was sent. */
  form: StreamMessage;
  respond: (fields: object, from?: Caller) => Promise<number>;
  readNext: () => Promise<StreamMessage | undefined>;
  ref: string;
}

/** Opens a call that waits, and lets the executor ask; returns when the client has the form. */
async function callUntilForm(
  home: Awaited<ReturnType<typeof createFreshHousehold>>,
  questions: unknown[] = [QUESTION],
): Promise<OpenCall> {
  const { agent, ann } = home;
  const session = await openSession(agent, FORMS);
  const ref = await agent.createThread("Paint a chair", { requires: ["look"] });
  const parameters = { name: "mess_wait", arguments: { re: ref, wait_seconds: 30 } };
  const response = await agent.fetch("/mcp", buildLegacyRequest("tools/call", parameters, session));
  const stream = readStream(response);
  await ann.appendBlocks(ref, { status: { code: "needs_input", questions } });
  const form = await stream.readNext();
  if (form?.method !== "elicitation/create") throw new Error(`no form: ${JSON.stringify(form)}`);
  return {
    form,
    ref,
    readNext: stream.readNext,
    respond: async (fields, from = agent) => {
      const { headers } = buildLegacyRequest("none", {}, session);
      const body = JSON.stringify({ jsonrpc: "2.0", id: form.id, ...fields });
      return (await from.fetch("/mcp", { method: "POST", headers, body })).status;
    },
  };
}

const accept = (content: object) => ({ result: { action: "accept", content } });

const readReplies = async (caller: Caller, ref: string): Promise<unknown[]> => {
  const response = await caller.fetch(`/mess/${ref}`);
  const { messages } = await response.json<{
    messages: { from: string; MESS: Record<string, unknown>[] }[];
  }>();
  return messages.flatMap(({ from, MESS }) =>
    MESS.filter((item) => "reply" in item).map((item) => ({ from, reply: item["reply"] })),
  );
};

describe("forms for clients of the 2025 revisions", () => {
  it("an accepted form is posted as the agent's reply, and the call waits for the answer", async () => {
    const home = await createFreshHousehold();
    const { form, ref, respond, readNext } = await callUntilForm(home);

    const status = await respond(accept({ answer: "red" }));
    await expect.poll(() => readReplies(home.agent, ref)).toHaveLength(1);
    await home.ann.appendBlocks(ref, { response: { content: ["Painted."] } });
    const result = await readNext();

    expect(form.params).toMatchObject({
      mode: "form",
      message: expect.stringContaining("Which chair?"),
      requestedSchema: { properties: { answer: { type: "string", enum: ["red", "blue"] } } },
    });
    expect(status).toBe(202);
    expect(await readReplies(home.agent, ref)).toMatchObject([
      { from: "scout", reply: { answers: { chair: "red" } } },
    ]);
    expect(result?.result.content[0].text).toContain("> Painted.");
  });

  it.each(["decline", "cancel"])(
    "a form that the user answers with %s posts nothing, and the call returns the question",
    async (action) => {
      const home = await createFreshHousehold();
      const { ref, respond, readNext } = await callUntilForm(home);

      await respond({ result: { action, content: { answer: "red" } } });
      const result = await readNext();

      expect(result?.result.content[0].text).toContain("Which chair?");
      expect(result?.result.structuredContent).toMatchObject({
        status: "needs_input",
        questions: [{ key: "chair" }],
      });
      expect(await readReplies(home.agent, ref)).toEqual([]);
    },
  );

  it("an answer that is none of the options is refused with them, and not posted", async () => {
    const home = await createFreshHousehold();
    const { ref, respond, readNext } = await callUntilForm(home);

    await respond(accept({ answer: "green" }));
    const result = await readNext();

    expect(result?.result.isError).toBe(true);
    expect(result?.result.content[0].text).toMatch(/^bad_parameter: .*red, blue/);
    expect(await readReplies(home.agent, ref)).toEqual([]);
  });

  it("a response of another credential does not reach the call", async () => {
    const home = await createFreshHousehold();
    const neighbour = await createFreshHousehold();
    const stranger = await home.addMember("stranger", "agent");
    const { ref, respond, readNext } = await callUntilForm(home);

    const statuses = [];
    for (const other of [stranger, neighbour.agent])
      statuses.push(await respond(accept({ answer: "red" }), other));
    await respond({ result: { action: "decline" } });
    const result = await readNext();
    const late = await respond(accept({ answer: "red" }));

    expect(statuses).toEqual([400, 400]);
    expect(result?.result.structuredContent.status).toBe("needs_input");
    expect(late).toBe(400);
    expect(await readReplies(home.agent, ref)).toEqual([]);
  });

  it("a form accepted after its household revoked the credential is neither posted nor answered", async () => {
    const [first, second] = [await createFreshHousehold(), await createFreshHousehold()];
    const makeKey = async ({ owner }: typeof first) =>
      (await owner.post("/api/v1/keys", { actor: "scout", role: "agent" })).json<{ id: string }>();
    const principals = await Promise.all(
      [first, second].map(async (home): Promise<Principal> => ({
        household: home.id,
        actor: "scout",
        role: "agent",
        credential: `key:${(await makeKey(home)).id}`,
      })),
    );
    const caller = { principals, isValid: async () => true } as unknown as McpCaller;
    const send = (request: RpcRequest) =>
      serveCaller(new Request(`${ORIGIN}/mcp`, request), env, caller);
    const session = await openSession(first.agent, FORMS);
    const ref = await second.agent.createThread("Paint a chair", { requires: ["look"] });
    const parameters = { re: ref, exchange: second.id, wait_seconds: 30 };
    const call = buildLegacyRequest(
      "tools/call",
      { name: "mess_wait", arguments: parameters },
      session,
    );
    const stream = readStream(await send(call));
    await second.ann.appendBlocks(ref, { status: { code: "needs_input", questions: [QUESTION] } });
    const form = await stream.readNext();

    const id = principals[1]!.credential!.replace("key:", "");
    await second.owner.fetch(`/api/v1/keys/${id}`, { method: "DELETE" });
    await send({
      ...call,
      body: JSON.stringify({ jsonrpc: "2.0", id: form?.id, ...accept({ answer: "red" }) }),
    });
    const result = await stream.readNext();

    expect(form?.method).toBe("elicitation/create");
    expect(await readReplies(second.agent, ref)).toEqual([]);
    expect(result?.result.isError).toBe(true);
    expect(result?.result.content[0].text).toMatch(/^unauthenticated: /);
    expect(JSON.stringify(result)).not.toContain("chair");
  });

  it("a yes or no becomes a switch, and a question without options a text", async () => {
    const home = await createFreshHousehold();

    const { form: yesOrNo } = await callUntilForm(home, [{ ...QUESTION, options: [true, false] }]);
    const { form: free } = await callUntilForm(home, [{ id: "chair", question: "Which?" }]);

    expect(yesOrNo.params.requestedSchema.properties.answer.type).toBe("boolean");
    expect(free.params.requestedSchema.properties.answer).toEqual({
      type: "string",
      title: "chair",
    });
  });

  it("a wait for several requests asks about one of them, and then waits for all", async () => {
    const { agent, ann } = await createFreshHousehold();
    const session = await openSession(agent, FORMS);
    const [chair, shed] = [
      await agent.createThread("Paint a chair", { requires: ["look"] }),
      await agent.createThread("Paint the shed", { requires: ["look"] }),
    ];
    const parameters = { name: "mess_wait", arguments: { re: [chair, shed], wait_seconds: 30 } };
    const call = buildLegacyRequest("tools/call", parameters, session);
    const stream = readStream(await agent.fetch("/mcp", call));
    await ann.appendBlocks(chair, { status: { code: "needs_input", questions: [QUESTION] } });
    const form = await stream.readNext();

    await agent.fetch("/mcp", {
      ...call,
      body: JSON.stringify({ jsonrpc: "2.0", id: form?.id, ...accept({ answer: "blue" }) }),
    });
    await expect.poll(() => readReplies(agent, chair)).toHaveLength(1);
    await ann.appendBlocks(shed, { response: { content: ["The shed is done."] } });
    const result = await stream.readNext();

    expect(form?.params.message).toContain("Paint a chair");
    expect(result?.result.content[0].text).toContain("> The shed is done.");
    expect(result?.result.structuredContent.requests).toHaveLength(2);
  });

  it("a question with a photo, which a form cannot show, is returned as the result", async () => {
    const { agent, ann } = await createFreshHousehold();
    const session = await openSession(agent, FORMS);
    const ref = await agent.createThread("Paint a chair", { requires: ["look"] });
    const image = "data:image/png;base64,iVBORw0KGgo=";
    const parameters = { name: "mess_wait", arguments: { re: ref, wait_seconds: 30 } };
    await ann.appendBlocks(
      ref,
      { followup: { message: "Here they are", context: [{ image }] } },
      { status: { code: "needs_input", questions: [QUESTION] } },
    );

    const stream = readStream(
      await agent.fetch("/mcp", buildLegacyRequest("tools/call", parameters, session)),
    );

    expect((await stream.readNext())?.result.structuredContent).toMatchObject({
      status: "needs_input",
      files: [{ mime: "image/png" }],
    });
  });

  it("a client that shows no forms gets the question as the result", async () => {
    const { agent, ann } = await createFreshHousehold();
    const session = await openSession(agent, { elicitation: { url: {} } });
    const ref = await agent.createThread("Paint a chair", { requires: ["look"] });
    await ann.appendBlocks(ref, { status: { code: "needs_input", questions: [QUESTION] } });
    const parameters = { name: "mess_wait", arguments: { re: ref, wait_seconds: 30 } };

    const stream = readStream(
      await agent.fetch("/mcp", buildLegacyRequest("tools/call", parameters, session)),
    );

    expect((await stream.readNext())?.result.structuredContent.status).toBe("needs_input");
  });
});

describe("input requests for clients of 2026-07-28", () => {
  const wait = (caller: Caller, ref: string, more: object = {}, capabilities: object = FORMS) =>
    callRpc(
      caller,
      "tools/call",
      { name: "mess_wait", arguments: { re: ref, wait_seconds: 10 }, ...more },
      { capabilities },
    );

  async function ask() {
    const home = await createFreshHousehold();
    const { agent, ann } = home;
    const ref = await agent.createThread("Paint a chair", { requires: ["look"] });
    await ann.appendBlocks(ref, {
      status: { code: "needs_confirmation", action: "Use the red paint" },
    });
    return { ...home, ref };
  }

  it("a client without tasks gets an input request, and its answer is posted with the repeated call", async () => {
    const { agent, ann, ref } = await ask();

    const asked = (await wait(agent, ref)).result;
    const [key = ""] = Object.keys(asked.inputRequests);
    const inputResponses = { [key]: { action: "accept", content: { confirm: true } } };
    const again = wait(agent, ref, { inputResponses, requestState: asked.requestState });
    await expect.poll(() => readReplies(agent, ref)).toMatchObject([{ reply: { confirm: true } }]);
    await ann.appendBlocks(ref, { response: { content: ["Done."] } });

    expect(asked).toMatchObject({ resultType: "input_required" });
    expect(asked.inputRequests[key].params.message).toBe(
      'ann asks for your approval about "Paint a chair": Use the red paint',
    );
    expect((await again).result.content[0].text).toContain("> Done.");
  });

  /** A request that the executor answers with a question; returns the input request for it. */
  async function requestUntilForm() {
    const home = await createFreshHousehold();
    const { agent, ann } = home;
    const fields = { intent: "Paint", requires: ["look"], response_hint: ["picture"] };
    const request = (more: object = {}) =>
      callRpc(
        agent,
        "tools/call",
        { name: "mess_do", arguments: fields, ...more },
        { capabilities: FORMS },
      );
    const listRefs = async () => {
      const response = await ann.fetch("/mess");
      const { threads } = await response.json<{ threads: { ref: string }[] }>();
      return threads.map(({ ref }) => ref);
    };
    const first = request();
    await expect.poll(listRefs).toHaveLength(1);
    const [ref = ""] = await listRefs();
    await ann.appendBlocks(ref, { status: { code: "needs_input", questions: [QUESTION] } });
    const { inputRequests, requestState } = (await first).result;
    const [key = ""] = Object.keys(inputRequests);
    const inputResponses = { [key]: { action: "accept", content: { answer: "blue" } } };
    const repeat = () => request({ inputResponses, requestState });
    return { ...home, ref, listRefs, form: inputRequests[key], repeat };
  }

  it("a repeated call creates no second request", async () => {
    const { agent, ann, ref, listRefs, repeat } = await requestUntilForm();

    const second = repeat();
    await expect.poll(() => readReplies(agent, ref)).toHaveLength(1);
    await ann.appendBlocks(ref, { response: { content: ["Blue now."] } });

    expect((await second).result.content[0].text).toContain("> Blue now.");
    expect(await listRefs()).toEqual([ref]);
  });

  it("the warnings of a request are in its first form, and in the result that follows it", async () => {
    const { agent, ann, ref, form, repeat } = await requestUntilForm();

    const second = repeat();
    await expect.poll(() => readReplies(agent, ref)).toHaveLength(1);
    await ann.appendBlocks(ref, { response: { content: ["Blue now."] } });
    const { content, structuredContent } = (await second).result;

    expect(form.params.message).toMatch(/Which chair\?\nWarning: .*\bpicture\b/);
    expect(content[0].text).toMatch(/^Warning: .*\bpicture\b/);
    expect(structuredContent.warnings).toEqual([expect.stringContaining("picture")]);
  });

  it("a declined input request posts nothing, and the repeated call returns the question", async () => {
    const { agent, ref } = await ask();
    const { inputRequests, requestState } = (await wait(agent, ref)).result;
    const [key = ""] = Object.keys(inputRequests);

    const { result } = await wait(agent, ref, {
      inputResponses: { [key]: { action: "decline" } },
      requestState,
    });

    expect(result.structuredContent.status).toBe("needs_confirmation");
    expect(await readReplies(agent, ref)).toEqual([]);
  });

  it("a state that names another household's thread is refused as an unknown one", async () => {
    const { agent } = await ask();
    // Refs count from one in each household, so the neighbour has no second one.
    const ref = await agent.createThread("Look", { requires: ["look"] });
    const neighbour = await createFreshHousehold();
    const own = await neighbour.agent.createThread("Look", { requires: ["look"] });
    const repeat = async (named: string) =>
      (
        await wait(neighbour.agent, own, {
          inputResponses: { "x.confirm": { action: "accept", content: { confirm: true } } },
          requestState: JSON.stringify({ ref: named, cursor: 0 }),
        })
      ).result.content[0].text.replace(named, "…");

    expect(await repeat(ref)).toBe(await repeat("2001-01-01-001-none"));
    expect(await repeat(ref)).toMatch(/^not_found: /);
  });

  it("a client without forms gets the question as the result", async () => {
    const { agent, ref } = await ask();

    const { result } = await wait(agent, ref, {}, {});

    expect(result.structuredContent.status).toBe("needs_confirmation");
  });
});
