import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createEgress } from "../../../src/egress/egress-fetch.ts";
import { checkAddress } from "../../../src/egress/egress-address.ts";

let hits = 0;
let server: Server;
let port = 0;
const STRICT = { loopback: false, origin: "https://mess.example.org" };

/** Known spellings of this machine's address; without the check, each of them would reach the canary server. */
const listLoopbackUrls = (): string[] =>
  [
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "127.0.0.2",
    "127.255.255.254",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0x7f.0.0.1",
    "0x7F.0x0.0x0.0x1",
    "0177.0.0.1",
    "0177.1",
    "017700000001",
    "127.0.0.1.",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "%6c%6f%63alhost",
    "１２７.0.0.1",
    "ⓛocalhost",
    "127。0。0。1",
    "0",
    "0.0.0.0",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:0:0:1]",
    "user:secret@127.0.0.1",
    "hooks.example.com@127.0.0.1",
  ].map((host) => `http://${host}:${port}/canary`);

const listOtherUrls = (): string[] => [
  ...["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1"].map(
    (host) => `https://${host}:${port}/canary`,
  ),
  "https://127.0.0.1/",
  "https://127.0.0.1:8443/",
  "https://[::]/",
  "https://[fe80::1]/",
  "https://[fd00::1]/",
  "https://[64:ff9b::7f00:1]/",
  "https://10.0.0.1/",
  "https://172.16.0.1/",
  "https://192.168.1.1/",
  "https://100.64.0.1/",
  "https://169.254.169.254/latest/meta-data/",
  "https://metadata.google.internal/",
  "https://printer.local/",
  "https://printer.lan/",
  "https://a.localhost/",
  "https://router.home.arpa/",
  "https://intranet/",
  "https://mess.example.org/hooks",
  "https://MESS.example.org./hooks",
  "https://robot.mess.example.org/hooks",
  "https://example.org/hooks",
  "https://user@hooks.example.com/",
  "https://user:secret@hooks.example.com/",
  "http://hooks.example.com/",
  "https://hooks.example.com:8080/",
  "https://hooks.example.com:22/",
  "ftp://hooks.example.com/",
  "file:///etc/passwd",
  "gopher://127.0.0.1:70/",
  "data:text/plain,hello",
  "javascript:alert(1)",
  "//127.0.0.1/",
  "not an address",
  "",
  `https://hooks.example.com/${"a".repeat(3_000)}`,
];

beforeAll(async () => {
  server = createServer((request, response) => {
    hits++;
    switch (request.url) {
      case "/redirect":
        response.writeHead(302, { Location: "/canary" }).end();
        break;
      case "/large":
        response.end("a".repeat(10_000_000));
        break;
      case "/busy":
        response.writeHead(429, { "Retry-After": "7" }).end("later");
        break;
      default:
        response.end("canary");
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "::", resolve);
  });
  port = (server.address() as AddressInfo).port;
});
beforeEach(() => {
  hits = 0;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe("the egress check", () => {
  it("egress refuses this machine, its network, the exchange itself, and other protocols", async () => {
    const urls = [...listLoopbackUrls(), ...listOtherUrls()];
    expect(urls.length).toBeGreaterThanOrEqual(60);
    const egress = createEgress(STRICT);

    const let_through: string[] = [];
    for (const url of urls) {
      const sent = await egress.send(url);
      if (sent.ok || sent.error.code !== "bad_field") let_through.push(url);
    }

    expect(let_through).toEqual([]);
    expect(hits).toBe(0);
  });

  it("without the egress check nearly every spelling reaches this machine", async () => {
    for (const url of listLoopbackUrls()) await fetch(url).catch(() => undefined);

    expect(hits).toBeGreaterThan(20);
  });

  it.each([
    "https://hooks.example.com/a?b=c",
    "https://hooks.example.com:8443/",
    "https://xn--bcher-kva.example.net/",
    "https://localhost.example.com/",
    "https://mess.example.org.example.com/",
  ])("egress allows %s", (url) => {
    expect(checkAddress(url, STRICT).ok).toBe(true);
  });

  it("egress reaches this machine only if the deployment allows it", async () => {
    const egress = createEgress({ ...STRICT, loopback: true });

    const sent = await egress.send(`http://127.0.0.1:${port}/`);

    expect(sent).toMatchObject({ ok: true, value: { status: 200, text: "canary" } });
    expect(checkAddress("https://10.0.0.1/", { ...STRICT, loopback: true }).ok).toBe(false);
  });

  it("egress follows no redirect", async () => {
    const egress = createEgress({ ...STRICT, loopback: true });

    const sent = await egress.send(`http://127.0.0.1:${port}/redirect`);

    expect(sent.ok).toBe(false);
    expect(hits).toBe(1);
  });

  it("egress reads 64 KB of a response, and of a file as many bytes as a file may have", async () => {
    const egress = createEgress({ ...STRICT, loopback: true });

    const sent = await egress.send(`http://127.0.0.1:${port}/large`);
    const file = await egress.fetch(`http://127.0.0.1:${port}/large`, {}, 1_000_000);

    expect(sent).toMatchObject({ ok: true });
    expect(sent.ok && sent.value.text.length).toBe(64 * 1024);
    expect(file).toMatchObject({ ok: false, error: { code: "too_large" } });
  });

  it("egress returns every other status as a response, with its headers", async () => {
    const egress = createEgress({ ...STRICT, loopback: true });

    const sent = await egress.send(`http://127.0.0.1:${port}/busy`);

    expect(sent.ok && sent.value.status).toBe(429);
    expect(sent.ok && sent.value.headers.get("Retry-After")).toBe("7");
  });

  it("egress reports that a connection failed, and nothing about its target", async () => {
    const egress = createEgress({ ...STRICT, loopback: true });

    const sent = await egress.send("http://127.0.0.1:1/secret-path");

    expect(sent.ok).toBe(false);
    expect(JSON.stringify(sent)).not.toContain("secret-path");
  });
});
