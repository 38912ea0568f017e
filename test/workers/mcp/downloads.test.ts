/** Files that a model is not shown: download links, and downloads with a connector's own token. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { callTool as callConnectorTool, Client, openSignedIn } from "../oauth/support.ts";
import { createFreshHousehold, ORIGIN, readRefusal, sendRequest } from "../support.ts";
import { callRpc, callTool, findRef } from "./support.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** A request with one file of this type and size. */
async function createFile(mime: string, head: string, size: number) {
  const home = await createFreshHousehold();
  const ref = await home.agent.createThread("Look", { requires: ["look"] });
  const body = new Uint8Array(size);
  body.set(new TextEncoder().encode(head));
  if (mime === "image/jpeg") body.set([0xff, 0xd8, 0xff, 0xd9]);
  const uploaded = await home.ann.fetch(`/mess/${ref}/attachments?name=big`, {
    method: "POST",
    headers: { "Content-Type": mime },
    body,
  });
  const { file } = await uploaded.json<{ file: string }>();
  await home.ann.appendBlocks(ref, { response: { content: [{ file: { file } }] } });
  const { structuredContent } = (await callTool(home.agent, "mess_status", { re: ref })).result;
  return { ...home, ref, body, uri: structuredContent.files[0].uri as string };
}

const BIG_JPEG = ["image/jpeg", "", 2_500_000] as const;
const SMALL_PDF = ["application/pdf", "%PDF-1.7\n", 5_000] as const;

const getLink = async (caller: Parameters<typeof callTool>[0], uri: string): Promise<string> => {
  const { url } = (await callTool(caller, "mess_fetch", { uri })).result.structuredContent;
  return (url as string).slice(ORIGIN.length);
};

describe("a download link", () => {
  it.each([
    ["a photo of 2.5 MB", BIG_JPEG],
    ["a PDF", SMALL_PDF],
    ["a HEIC photo", ["image/heic", "\0\0\0\x18ftypheic\0\0\0\0heic", 4_000] as const],
    ["audio", ["audio/mpeg", "ID3", 9_000] as const],
  ])(
    "mess_fetch gives one for %s, which serves the bytes without a key",
    async (_label, [type, head, bytes]) => {
      const { agent, body, uri } = await createFile(type, head, bytes);

      const { text, result } = await callTool(agent, "mess_fetch", { uri });

      const { url, size, mime } = result.structuredContent;
      expect([mime, size]).toEqual([type, body.byteLength]);
      expect(text).toContain(url);
      expect(result.content[1]).toMatchObject({ type: "resource_link", uri });
      const response = await sendRequest(url.slice(ORIGIN.length));
      expect([response.status, response.headers.get("Content-Type")]).toEqual([200, type]);
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(body);
      const part = await sendRequest(url.slice(ORIGIN.length), { headers: { Range: "bytes=0-2" } });
      expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 3]);
    },
  );

  it("the error for a resource that is too large has one", async () => {
    const { agent, uri } = await createFile("audio/mpeg", "ID3", 8_100_000);

    const { error } = await callRpc(agent, "resources/read", { uri });

    const path = /\/files\/\S+/.exec(error?.message ?? "")?.[0] ?? "";
    expect((await sendRequest(path, { method: "HEAD" })).status).toBe(200);
  });

  it("ends after ten minutes, and when it is changed", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { agent, uri } = await createFile(...SMALL_PDF);
    const link = await getLink(agent, uri);
    const [header, claims = "", signature] = link.split(".");
    const other = JSON.parse(atob(claims.replaceAll("-", "+").replaceAll("_", "/"))) as object;
    const forged = btoa(JSON.stringify({ ...other, file: "att-000-file-other.pdf" }));

    const changed = await sendRequest([header, forged.replace(/=+$/, ""), signature].join("."));
    const before = await sendRequest(link);
    vi.setSystemTime(Date.now() + 11 * 60_000);
    const after = await sendRequest(link);

    expect(await readRefusal(changed)).toBe("410 link_dead");
    expect(before.status).toBe(200);
    expect(await readRefusal(after)).toBe("410 link_dead");
  });

  it("ends with the key for which it was made", async () => {
    const { owner, agent, uri } = await createFile(...SMALL_PDF);
    const link = await getLink(agent, uri);
    const { keys } = await owner.read("/api/v1/keys");
    const { id } = keys.find((key: { actor: string }) => key.actor === agent.actor);

    await owner.fetch(`/api/v1/keys/${id}`, { method: "DELETE" });

    expect(await readRefusal(await sendRequest(link))).toBe("410 link_dead");
  });
});

describe("a connector's access token", () => {
  it("downloads attachments of its requests, and ends with its grant", async () => {
    const home = await createFreshHousehold();
    const stranger = await createFreshHousehold();
    const browser = await openSignedIn([home, "ann", "owner"]);
    const { access_token: token } = await (
      await Client.register()
    ).tokens(browser, { [home.id]: "agent" });
    const request = { intent: "Carry", requires: ["carry"], wait_seconds: 0 };
    const ref = findRef(await callConnectorTool(token, "mess_do", request));
    await home.ben.appendBlocks(ref, { response: { content: [{ file: "data:text/plain,warm" }] } });
    await stranger.agent.createThread("Look");
    const other = await stranger.agent.createThread("Look again");
    const fetchWithToken = (path: string) =>
      sendRequest(path, { headers: { Authorization: `Bearer ${token}` } });
    const path = `/mess/${ref}/attachments/att-001-file-file.txt`;

    const own = await fetchWithToken(path);
    const foreign = await fetchWithToken(`/mess/${other}/attachments/att-001-file-file.txt`);
    const thread = await fetchWithToken(`/mess/${ref}`);
    const { grants } = await home.owner.read("/api/v1/grants");
    await home.owner.fetch(`/api/v1/grants/${grants[0].id}`, { method: "DELETE" });
    const ended = await fetchWithToken(path);

    expect([own.status, await own.text()]).toEqual([200, "warm"]);
    expect(foreign.status).toBe(404);
    expect([thread.status, ended.status]).toEqual([401, 401]);
  });
});
