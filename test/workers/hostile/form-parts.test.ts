import { afterEach, describe, expect, it, vi } from "vitest";
import { expectOkJson, createFreshHousehold, readRefusal } from "../support.ts";
import { expectSoon } from "./support.ts";

const BOUNDARY = "----WebKitFormBoundaryAbC123";
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;
const MESSAGE = '{"MESS": [{"request": {"intent": "look at the basil"}}]}';

const buildPart = (name: string, value: string, boundary = BOUNDARY): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

/** A form with the message and this many other parts. */
const buildForm = (others: number, boundary = BOUNDARY): string =>
  `${buildPart("message", MESSAGE, boundary)}${buildPart("x", "", boundary).repeat(others)}--${boundary}--\r\n`;

async function post(body: string, type = TYPE): Promise<Response> {
  const { agent } = await createFreshHousehold();
  return await expectSoon(
    agent.fetch("/mess", { method: "POST", body, headers: { "Content-Type": type } }),
  );
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a form of many parts", () => {
  it("a form of too many parts is refused before it is parsed", async () => {
    const parse = vi.spyOn(Response.prototype, "formData");

    const response = await post(buildForm(300_000));

    expect(await readRefusal(response)).toBe("400 bad_multipart");
    expect(parse).not.toHaveBeenCalled();
  });

  it("a form of up to 64 parts is accepted", async () => {
    await expectOkJson(await post(buildForm(63)));
    expect(await readRefusal(await post(buildForm(64)))).toBe("400 bad_multipart");
  });

  it.each([
    ["a boundary in quotes", `multipart/form-data; boundary="${BOUNDARY}"; charset=utf-8`],
    ["a boundary in other letters", `Multipart/Form-Data;BOUNDARY=${BOUNDARY}`],
  ])("the parts of a form are counted with %s", async (_what, type) => {
    await expectOkJson(await post(buildForm(63), type));
    expect(await readRefusal(await post(buildForm(64), type))).toBe("400 bad_multipart");
  });

  it("the parts of a form with two boundaries are counted by the one with which it is parsed", async () => {
    const type = `multipart/form-data; boundary=other; boundary=${BOUNDARY}`;

    expect(await readRefusal(await post(buildForm(64), type))).toBe("400 bad_multipart");
    expect(await readRefusal(await post(buildForm(64, "other"), type))).toBe("400 bad_multipart");
  });

  it("the parts of a form are counted in linear time if its content resembles the boundary", async () => {
    const dashes = "-".repeat(70);
    const body = `${buildPart("message", MESSAGE, dashes)}${buildPart("x", "\n-".repeat(5_000_000), dashes)}--${dashes}--\r\n`;

    await expectOkJson(await post(body, `multipart/form-data; boundary=${dashes}`));
  });
});
