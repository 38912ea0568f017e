import { expect, it } from "vitest";
import { buildApprovalRequest } from "../../../../src/mess/sources/owner-request.ts";

it.each([
  ["that every channel shows whole can be approved by a tap", 35, "all"],
  ["with more lines than channels show is approved on the page only", 41, "part"],
])("a draft %s", (_name, lines, shows) => {
  const body = Array.from({ length: lines }, (_, index) => `Line ${index}`).join("\n");

  const draft = { to: ["ann@a.test"], body, attachments: [] };
  const request = buildApprovalRequest(draft, undefined, "bob", undefined);

  expect(request.shows).toBe(shows);
});
