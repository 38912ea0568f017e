/** Zips of threads and households, as callers fetch and import them. */
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { PNG } from "../../../support/media/png.ts";
import { type Caller, expectOkJson, type TestHousehold } from "../../support.ts";

export const toText = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);
export const encodeText = (content: string): Uint8Array => new TextEncoder().encode(content);

/** A thread with an executor's answer and photo. */
export async function createAnsweredThread({ agent, ann }: TestHousehold): Promise<string> {
  const ref = await agent.createThread("photograph the shelf", {
    requires: ["take-photo"],
    id: "shelf",
  });
  const { file } = await expectOkJson(
    await ann.fetch(`/mess/${ref}/attachments?name=shelf.png`, { method: "POST", body: PNG }),
  );
  await ann.appendBlocks(
    ref,
    { status: { code: "completed" } },
    { response: { content: [{ image: { file } }, "two jars"] } },
  );
  return ref;
}

export async function fetchZip(caller: Caller, path: string): Promise<Uint8Array> {
  const response = await caller.fetch(path);
  expect(response.headers.get("Content-Type")).toBe("application/zip");
  return new Uint8Array(await response.arrayBuffer());
}

export const bring = (owner: Caller, body: BodyInit, type = "application/zip") =>
  owner.fetch("/mess/import", { method: "POST", body, headers: { "Content-Type": type } });

export const countBlobs = async (household: string): Promise<number> =>
  (await env.BLOBS.list({ prefix: `${household}/` })).objects.length;
