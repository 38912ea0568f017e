/** What mess_capabilities says of the members. */
import { describe, expect, it } from "vitest";
import { expectOkJson, createFreshHousehold } from "../support.ts";
import { findRef, callTool } from "./support.ts";

describe("capabilities by tools", () => {
  /** The other facts in the member's line: its kind, and its availability. */
  function readState(text: string, id: string, can: string): string {
    const line = text.split("\n").find((one) => new RegExp(`\\b${id}\\b`).test(one)) ?? "";
    expect(line).toContain(can);
    return line.replace(id, "").replace(can, "");
  }

  it("mess_capabilities lists the capabilities of each member, and whether it is within its hours", async () => {
    const { agent, owner } = await createFreshHousehold();
    await owner.postBlocks({
      config: { executor: { id: "zoe", capabilities: ["cook"], schedule: "00:00-00:01" } },
    });

    const { text } = await callTool(agent, "mess_capabilities");

    expect(text).toMatch(/^.*\brobo\b.*\bmachine\b.*\bvacuum-floor\b/m);
    expect(readState(text, "ann", "take-photo, look")).toBe(readState(text, "ben", "carry"));
    expect(readState(text, "zoe", "cook")).not.toBe(readState(text, "ben", "carry"));
  });

  it("mess_capabilities shows who is away", async () => {
    const { owner, agent } = await createFreshHousehold();
    const away = { method: "PUT", body: '{"actor": "ann", "state": "away"}' };
    await expectOkJson(await owner.fetch("/api/v1/presence", away));

    const { text } = await callTool(agent, "mess_capabilities");

    expect(readState(text, "ann", "take-photo, look")).not.toBe(readState(text, "ben", "carry"));
  });

  it("mess_capabilities previews a route without an offer", async () => {
    const { agent } = await createFreshHousehold();

    const { text } = await callTool(agent, "mess_capabilities", { requires: ["Vacuum_Floor"] });

    expect(text).toMatch(/^.*\brobo\b.*\bmachine\b.*\bvacuum-floor\b/m);
    expect(text).toMatch(/\bann\b.*\bvacuum-floor\b/);
    expect(findRef((await callTool(agent, "mess_status")).text)).toBe("no ref");
  });
});
