import { describe, expect, it } from "vitest";
import { expectOk, freshHousehold, refusalOf } from "../support.ts";

describe("POST /mess", () => {
  it("makes a thread of a request and acks it with 201", async () => {
    const { agent } = await freshHousehold();

    const response = await agent.say({ request: { id: "fridge", intent: "look into the fridge" } });

    expect(response.status).toBe(201);
    const { MESS } = await expectOk(response.clone());
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
});
