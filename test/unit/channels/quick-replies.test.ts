/** The buttons of a push notification for requests with one simple question. */
import { describe, expect, test } from "vitest";
import { buildQuickReplies } from "../../../src/channels/push/quick-replies.ts";
import type { Json } from "../../../src/mess/json.ts";

const replies = (...response_hint: Json[]) => buildQuickReplies({ intent: "?", response_hint });

describe("quick replies", () => {
  test.each<[string, Json[]]>([
    ["a bare confirmation", ["confirmation"]],
    ["a labelled confirmation", [{ confirmation: "Is it locked?" }]],
    ["a confirmation with a text", ["confirmation", "text"]],
  ])("%s has a button for yes and one for no", (_name, hints) => {
    expect(replies(...hints)).toEqual([
      { label: "yes", entry: { confirmation: true } },
      { label: "no", entry: { confirmation: false } },
    ]);
  });

  test("a choice has a button for each option, with the value under its field", () => {
    expect(
      replies({ choice: { field: "gate", question: "Gate?", options: ["open", "shut"] } }),
    ).toEqual([
      { label: { text: "open" }, entry: { structured: { gate: "open" } } },
      { label: { text: "shut" }, entry: { structured: { gate: "shut" } } },
    ]);
    expect(replies({ choice: ["red", "blue"] })[0]?.entry).toEqual({
      structured: { choice: "red" },
    });
  });

  test.each<[string, Json[]]>([
    ["a draft, which must be read first", [{ draft: "Yes" }]],
    ["two questions", ["confirmation", { number: "How many?" }]],
    ["more options than buttons", [{ choice: ["a", "b", "c", "d"] }]],
    ["a long option", [{ choice: ["a", "b".repeat(41)] }]],
    [
      "options with values of their own",
      [
        {
          choice: [
            { label: "a", value: 1 },
            { label: "b", value: 2 },
          ],
        },
      ],
    ],
    ["several choices at once", [{ choice: { options: ["a", "b"], multiple: true } }]],
    ["an option of one's own", [{ choice: { options: ["a", "b"], other: true } }]],
    ["a photo", ["image"]],
    ["no hint", []],
  ])("a request with %s has no quick replies", (_name, hints) => {
    expect(replies(...hints)).toEqual([]);
  });

  test("a request with questions of its own has no quick replies", () => {
    const request = { response_hint: ["confirmation"], questions: ["Which gate?"] };

    expect(buildQuickReplies(request)).toEqual([]);
  });
});
