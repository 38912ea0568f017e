/** Repeated calls are compared completely, and refusals reveal nothing about other members' data. */
import { describe, expect, it } from "vitest";
import { type Answered, waitUntil, createFreshHousehold } from "../../support.ts";

/** The refusal with the status that the test expects. */
async function refusalOf(response: Response, status: number): Promise<Answered> {
  expect(response.status).toBe(status);
  return (await response.json<Answered>()).error;
}

function buildForm(message: object, photo: string): FormData {
  const data = new FormData();
  data.set("message", JSON.stringify(message));
  data.set("photo", new File([photo], "photo.jpg", { type: "text/plain" }));
  return data;
}

const plant = {
  request: {
    id: "plant",
    intent: "does it need water?",
    context: [{ file: { file: "photo.jpg" } }],
  },
};

describe("repeated requests with files", () => {
  it("the same request with another file is a different request", async () => {
    const { agent } = await createFreshHousehold();
    const refs: string[] = [];
    for (const photo of ["monday", "monday", "tuesday"]) {
      const response = await agent.fetch("/mess", {
        method: "POST",
        body: buildForm(plant, photo),
      });
      const { MESS } = await response.json<{ MESS: { ack: { ref: string } }[] }>();
      refs.push(MESS[0]!.ack.ref);
    }
    expect(refs[1]).toBe(refs[0]);
    expect(refs[2]).not.toBe(refs[0]);
  });

  it("the same request with another file and the same idempotency key is a conflict", async () => {
    const { agent } = await createFreshHousehold();
    const ref = await agent.createThread("water it");
    const postPhoto = (photo: string) =>
      agent.fetch("/mess", {
        method: "POST",
        headers: { "Idempotency-Key": "k" },
        body: buildForm(
          { followup: { re: ref, context: [{ file: { file: "photo.jpg" } }] } },
          photo,
        ),
      });
    expect((await postPhoto("monday")).status).toBe(200);
    expect((await postPhoto("monday")).status).toBe(200);
    expect(await refusalOf(await postPhoto("tuesday"), 409)).toMatchObject({
      code: "idempotency_conflict",
    });
  });
});

describe("a thread of another member", () => {
  it("a request cannot depend on another member's thread, which is refused like a missing one", async () => {
    const { agent, addMember } = await createFreshHousehold();
    const other = await addMember("rival", "agent");
    const ref = await agent.createThread("buy milk");
    const readTarget = async (target: string) => {
      const response = await other.post("/mess", {
        request: { intent: "make pancakes", constraints: { depends_on: [target] } },
      });
      const refusal = JSON.stringify(await refusalOf(response, 422));
      return JSON.parse(refusal.replaceAll(target, "the target")) as object;
    };
    const foreign = await readTarget(ref);
    expect(foreign).toMatchObject({ code: "unknown_dependency" });
    expect(await readTarget(`${ref}-never`)).toEqual(foreign);
  });
});

describe("a missing part of a thread", () => {
  it("a missing message of a thread is not reported as a missing thread", async () => {
    const { agent } = await createFreshHousehold();
    const ref = await agent.createThread("buy milk");
    const expectUnknown = (path: string) =>
      agent.fetch(`/mess/${path}/messages/response-009`).then((answer) => refusalOf(answer, 404));
    const inThread = await expectUnknown(ref);
    expect(inThread).toMatchObject({ code: "not_found" });
    expect(inThread).not.toEqual(await expectUnknown("2026-01-01-001-nothing"));
  });
});

describe("an imported thread", () => {
  it("an imported thread is found by its requestor's id, and its serial is not used again", async () => {
    const { agent, owner } = await createFreshHousehold();
    const day = (await agent.createThread("what day is it")).slice(0, 10);
    const file = [
      `ref: ${day}-041-lamp`,
      "client_id: lamp",
      "requestor: scout",
      "executor: null",
      "status: pending",
      `created: "${day}T08:00:00+00:00"`,
      `updated: "${day}T08:00:00+00:00"`,
      "intent: is the lamp on?",
      "priority: normal",
      "history: []",
      "---",
      "from: scout",
      `received: "${day}T08:00:00+00:00"`,
      "MESS: [{ request: { id: lamp, intent: is the lamp on? } }]",
      "",
    ].join("\n");
    const imported = await owner.fetch("/mess/import", {
      method: "POST",
      headers: { "Content-Type": "application/yaml" },
      body: file,
    });
    expect(imported.status).toBe(200);
    await waitUntil(async () =>
      expect((await agent.read("/mess/lamp")).envelope.ref).toBe(`${day}-041-lamp`),
    );
    expect(await agent.createThread("and now?")).toMatch(new RegExp(`^${day}-042`));
  });
});

describe("queries with unknown values", () => {
  it("a query with an unknown status is refused, as in a list", async () => {
    const { agent } = await createFreshHousehold();
    const response = await agent.post("/mess", {
      query: { type: "status", filter: { status: ["finishd"] } },
    });
    expect(await refusalOf(response, 400)).toMatchObject({ code: "bad_field" });
  });
});

describe("long lists in a message", () => {
  it("a list in a message has a maximum length, so that a small text cannot cause much work", async () => {
    const { agent } = await createFreshHousehold();
    const requires = Array.from({ length: 65 }, (_, n) => `skill-${n}`);
    const response = await agent.post("/mess", { request: { intent: "do it all", requires } });
    expect(await refusalOf(response, 413)).toMatchObject({
      code: "too_large",
      path: "request.requires",
    });
  });
});
