/** Structured results, typed hints, and waiting for several requests. */
import { describe, expect, it } from "vitest";
import { PNG_BASE64 } from "../../support/media/png.ts";
import { type Caller, createFreshHousehold, waitUntil } from "../support.ts";
import { callTool, findRef } from "./support.ts";

const call = async (caller: Caller, name: string, args: object = {}) =>
  (await callTool(caller, name, args)).result.structuredContent;

describe("structured results", () => {
  it("every tool for a request returns its ref, status, cursor, open questions and files", async () => {
    const { agent, ann } = await createFreshHousehold();
    const asked = await call(agent, "mess_observe", {
      intent: "Water the plants?",
      requires: ["look"],
      wait_seconds: 0,
    });
    const { ref } = asked;
    await ann.appendBlocks(ref, {
      response: { content: [{ image: `data:image/png;base64,${PNG_BASE64}` }] },
    });
    await ann.appendBlocks(ref, {
      status: {
        code: "needs_input",
        questions: [{ id: "room", question: "Which room?", options: ["hall", "attic"] }],
      },
    });

    const status = await call(agent, "mess_status", { re: ref });
    const waited = await call(agent, "mess_wait", { re: ref });
    const replied = await call(agent, "mess_reply", { re: ref, answers: "hall" });
    const cancelled = await call(agent, "mess_cancel", { re: ref });

    expect(asked).toMatchObject({ status: "pending", questions: [], files: [] });
    expect(status).toMatchObject({
      ref,
      status: "needs_input",
      cursor: expect.any(Number),
      questions: [{ key: "room", question: "Which room?", options: ["hall", "attic"] }],
      files: [{ uri: expect.stringContaining(`content://${ref}/`), mime: "image/png" }],
    });
    expect(waited).toEqual(status);
    expect(replied).toMatchObject({ ref, questions: [] });
    expect(cancelled).toMatchObject({ ref, status: "cancelled" });
  });

  it("the other tools return lists, files and refs", async () => {
    const { agent, ann } = await createFreshHousehold();
    const sent = await call(agent, "mess", {
      message: "MESS: [{request: {intent: Look, id: a}}, {request: {intent: Look up, id: b}}]",
    });
    const [ref] = sent.refs;
    await ann.appendBlocks(ref, { response: { content: [{ file: "data:text/plain,warm" }] } });
    const { files } = await call(agent, "mess_status", { re: ref });

    const fetched = await call(agent, "mess_fetch", { uri: files[0].uri });
    const { executors } = await call(agent, "mess_capabilities");
    const route = await call(agent, "mess_capabilities", { requires: ["carry"] });

    expect(sent.refs).toHaveLength(2);
    expect(fetched).toMatchObject({ uri: files[0].uri, mime: "text/plain", size: 4 });
    expect(executors).toContainEqual({ id: "ben", capabilities: ["carry"] });
    expect(route.executors).toEqual([{ id: "ben" }]);
    await waitUntil(async () => {
      const { requests } = await call(agent, "mess_status");
      expect(requests.map((one: { ref: string }) => one.ref).toSorted()).toEqual(sent.refs);
    });
  });
});

describe("parameters of tools", () => {
  it("exchange: primary is accepted by every tool that could take a household", async () => {
    const { agent, id } = await createFreshHousehold();

    for (const exchange of ["primary", id]) {
      const { isError } = await callTool(agent, "mess_status", { exchange });
      expect(isError).toBe(false);
    }
    const { text } = await callTool(agent, "mess_status", { exchange: "elsewhere" });
    expect(text).toMatch(/^bad_parameter: .*exchange/);
  });

  it("requests take typed hints: a choice, a number, a date and a JSON Schema", async () => {
    const { agent } = await createFreshHousehold();
    const response_hint = [
      "image",
      { choice: ["open", "shut"] },
      { number: { label: "How many?", min: 0 } },
      { date: "Since when?" },
      { structured: { type: "object", properties: { mice: { type: "integer" } } } },
    ];

    const list = await callTool(agent, "mess_observe", {
      intent: "Look",
      response_hint,
      wait_seconds: 0,
    });
    const single = await callTool(agent, "mess_do", {
      intent: "Look",
      response_hint: { choice: ["open", "shut"] },
      wait_seconds: 0,
    });

    const readHints = async (text: string) =>
      (await agent.read(`/mess/${findRef(text)}`)).messages[0].MESS.at(-1).request.response_hint;
    expect(await readHints(list.text)).toEqual(response_hint);
    expect(await readHints(single.text)).toEqual([{ choice: ["open", "shut"] }]);
  });
});

describe("waiting for several requests", () => {
  const createTwoRequests = async () => {
    const home = await createFreshHousehold();
    const first = await home.agent.createThread("Look left", { requires: ["look"] });
    const second = await home.agent.createThread("Look right", { requires: ["look"] });
    return { ...home, first, second };
  };
  const answer = (ann: Caller, ref: string) =>
    ann.appendBlocks(ref, { response: { content: ["A bus."] } }, { status: { code: "completed" } });

  it("returns when one of the named requests is answered, with a cursor for the others", async () => {
    const { agent, ann, first, second } = await createTwoRequests();
    const waiting = callTool(agent, "mess_wait", { re: [first, second], wait_seconds: 20 });
    await ann.claim(first);

    await answer(ann, second);

    const { text, result } = await waiting;
    expect(text).toContain("> A bus.");
    expect(text).toMatch(new RegExp(`mess_wait re=\\["${first}"\\] cursor=\\{"${first}": \\d+\\}`));
    expect(result.structuredContent.requests).toMatchObject([
      { ref: second, status: "completed" },
      { ref: first, status: "claimed", cursor: expect.any(Number) },
    ]);
  });

  it("waits for any open request of the caller when none is named", async () => {
    const { agent, ann, first, second } = await createTwoRequests();
    await waitUntil(async () => {
      const { text } = await callTool(agent, "mess_wait", { wait_seconds: 0 });
      expect(text).toContain(first);
      expect(text).toContain(second);
    });
    const waiting = callTool(agent, "mess_wait", { wait_seconds: 20 });

    await answer(ann, first);

    expect((await waiting).text).toMatch(/> A bus\.[\s\S]*No answer yet/);
  });

  it("refuses a list with an unknown request, and says so when nothing is open", async () => {
    const { agent, first } = await createTwoRequests();
    const other = await createFreshHousehold();

    const unknown = await callTool(agent, "mess_wait", { re: [first, "nothing"] });
    const none = await callTool(other.agent, "mess_wait", {});

    expect(unknown.text).toMatch(/^not_found\b/);
    expect([none.isError, none.text]).toEqual([false, "You have no open requests."]);
  });
});
