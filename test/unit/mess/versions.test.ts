import { describe, expect, it } from "vitest";
import { raiseVersion } from "../../../src/mess/wire/versions.ts";
import { parseMessages } from "../../../src/mess/wire/parse.ts";

/** The version with which the message is written, and whether its sender is warned. */
function writeVersion(text: string): string {
  const parsed = parseMessages(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  const { message, warning } = raiseVersion(parsed.value[0]!);
  return `${message.v ?? "none"}${warning === undefined ? "" : ", warned"}`;
}

describe("the version that is written (decision 77)", () => {
  it.each([
    "request: {intent: look, needed_by: 2031-05-06T18:00:00Z}",
    "request: {intent: look, confirm_before: true}",
    "request: {intent: look, response_hint: [image]}",
    "request: {intent: look, response_hint: [{location: the shop}]}",
    "request: {intent: look, context: [{location: the shop}]}",
    "{status: {code: claimed, estimate: PT45M}, re: last}",
    "{status: {code: claimed, eta: 45m}, re: last}",
    "{response: {content: [{location: {lat: 1, lng: 2}}]}, re: last}",
    "{response: {content: [{confirmation: {confirmed: true, units: 4}}]}, re: last}",
    "{followup: {context: [{location: the shop}]}, re: last}",
  ])("is 1.1.0 for a message with a field of version 1.1: %s", (item) => {
    expect(writeVersion(`MESS: [${item}]`)).toBe("1.1.0");
    expect(writeVersion(`MESS: [{v: 1.1.0}, ${item}]`)).toBe("1.1.0");
    expect(writeVersion(`MESS: [{v: 1.3.0}, ${item}]`)).toBe("1.3.0");
    expect(writeVersion(`MESS: [{v: 1.0.0}, ${item}]`)).toBe("1.1.0, warned");
    expect(writeVersion(`MESS: [{v: 1}, ${item}]`)).toBe("1.1.0, warned");
  });

  it.each([
    "request: {intent: look, priority: urgent, response_hint: [{choice: [a, b]}]}",
    "request: {intent: look, constraints: {location: the shop, timing: {expires: 2h}}}",
    "{status: {code: claimed, eta: 2031-05-06T18:00:00Z}, re: last}",
    "{response: {content: [{confirmation: true}, done]}, re: last}",
    "{reply: {confirm: true}, re: last}",
  ])("stays as stated for a message without one: %s", (item) => {
    expect(writeVersion(`MESS: [${item}]`)).toBe("none");
    expect(writeVersion(`MESS: [{v: 1.0.0}, ${item}]`)).toBe("1.0.0");
    expect(writeVersion(`MESS: [{v: 1.1.0}, ${item}]`)).toBe("1.1.0");
  });
});
