/**
 * Two households with the same member names, client ids and day. The victim also has a thread that the attacker's
 * household lacks, and something of every kind in it.
 */
import { env } from "cloudflare:workers";
import { storeMessageBytes } from "../../../src/attachments/message-bytes.ts";
import { getSourceStub } from "../../../src/stubs.ts";
import { unwrap } from "../outcomes.ts";
import { Client, openSignedIn, type Tokens } from "../oauth/support.ts";
import { createLink, type Link } from "../respond/support.ts";
import { expect } from "vitest";
import { reachOutside } from "../ingress/local-services.ts";
import {
  type Caller,
  createFreshHousehold,
  expectOkJson,
  type TestHousehold,
  waitUntil,
} from "../support.ts";

/** One name of every kind that a call can contain. */
export interface Names {
  household: string;
  ref: string;
  clientId: string;
  message: string;
  file: string;
  upload: string;
  delivery: string;
  jti: string;
  key: string;
  schedule: string;
  secret: string;
  person: string;
  grant: string;
  suggestion: string;
  /** A sign-in link that names the household, with a wrong secret. */
  signIn: string;
  /** An AI group, its ops and another member, and an agent of the pool. */
  group: string;
  ops: string;
  worker: string;
  poolAgent: string;
  groupMessage: string;
  /** A message source, and a message with an attachment in it. */
  source: string;
  sourceMessage: string;
  sourceDraft: string;
}

export interface Twin {
  home: TestHousehold;
  /** A thread that both households have under the same ref, and its link for Ann. */
  shelf: string;
  link: Link;
  /** Cookies of a browser in which Ann is signed in. */
  cookies: string;
  tokens: Tokens;
  /** Of a client that is connected to the tools for groups. */
  groupTokens: Tokens;
  /** Of a client that an owner has connected to the tools for messages. */
  messageTokens: Tokens;
  names: Names;
  /** Occurs in every text, file and setting of this household, and nowhere else. */
  canary: string;
}

/** Creates a request that Ann claims and answers with a photo, so that the thread has a part of every kind. */
async function createFullThread(
  { agent, ann }: TestHousehold,
  canary: string,
  intent: string,
  id: string,
): Promise<{ ref: string; message: string }> {
  const file = `data:application/octet-stream;base64,${btoa(canary.repeat(300))}`;
  const ref = await agent.createThread(intent, {
    id,
    requires: ["look"],
    context: [{ text: `the ${canary} text` }, { file }],
  });
  await ann.claim(ref);
  const answer = { response: { content: [{ text: `a ${canary} answer` }] } };
  const ack = await ann.appendBlocks(ref, answer);
  return { ref, message: (ack.ref as string).slice(ref.length + 1) };
}

const postJson = async (caller: Caller, path: string, body: unknown) =>
  await expectOkJson(await caller.post(path, body));

/** Creates an AI group of two members with a message, and an agent in the pool. */
async function createFullGroup(
  { agent, ann, robo }: TestHousehold,
  canary: string,
): Promise<Pick<Names, "group" | "ops" | "worker" | "poolAgent" | "groupMessage">> {
  const created = await postJson(agent, "/groups", { topic: `about ${canary}`, my_name: "lead" });
  const { group_id: group, my_id: ops } = created;
  const joined = await postJson(ann, `/groups/${group}/members`, { my_name: "worker" });
  const { my_id: worker } = joined;
  const message = { to_id: ops, content: `a report on ${canary}`, message_type: "report" };
  const { id: groupMessage } = await postJson(ann, `/groups/${group}/messages`, message);
  const entry = await postJson(robo, "/pools/agents/agents", { name: `robo ${canary}` });
  return { group, ops, worker, poolAgent: entry.agent_id, groupMessage };
}

/** Creates a message source with a message that has a file and the bytes as they arrived. */
async function createFullSource(
  { id, owner }: TestHousehold,
  canary: string,
): Promise<Pick<Names, "source" | "sourceMessage" | "sourceDraft">> {
  const source = `mail-${canary}`;
  const settings = {
    kind: "webhook",
    secret: `whsec_${btoa(canary.repeat(3).slice(0, 32))}`,
    url: "https://receiver.test/hook",
  };
  await postJson(owner, "/api/v1/config", { config: { sources: { [source]: settings } } });
  const { messages } = getSourceStub(env, id, source);
  const bytes = new TextEncoder().encode(canary);
  const incoming = await storeMessageBytes(env.BLOBS, id, {
    external_id: `<${canary}@elsewhere.test>`,
    sender: `${canary}@elsewhere.test`,
    recipient: "home@exchange.test",
    subject: `about ${canary}`,
    body: `a mail on ${canary}`,
    timestamp: 1_700_000_000_000,
    headers: [["X-Canary", canary]] as [string, string][],
    channel: `${canary}@elsewhere.test`,
    attachments: [{ name: `${canary}.txt`, mime: "text/plain", bytes }],
    raw: { mime: "message/rfc822", bytes },
  });
  const [received] = await waitUntil(async () => unwrap(await messages.receive([incoming])));
  // Classification and index follow; the contents must be at rest before they are compared.
  await waitUntil(async () => {
    const found = await owner.read(`/messages/search?q=${canary.split("-")[0]}&tier=DEFER`);
    expect(found.messages).toHaveLength(1);
  });
  const draft = await postJson(owner, `/sources/${source}/drafts`, {
    to: [`${canary}@elsewhere.test`],
    body: `an answer on ${canary}`,
  });
  return { source, sourceMessage: received!.id, sourceDraft: draft.id };
}

/** @param hasSecretThread whether the household has the thread that its twin lacks */
export async function createTwin(canary: string, hasSecretThread: boolean): Promise<Twin> {
  const home = await createFreshHousehold();
  const { owner, agent, ann } = home;
  const looking = {
    id: "ann",
    name: `Ann ${canary}`,
    capabilities: ["look"],
    notify: { webhook: `https://ann.example.com/${canary}` },
  };
  reachOutside({ "https://ann.example.com": async () => new Response(null, { status: 204 }) });
  await expectOkJson(await owner.postBlocks({ config: { executor: looking } }));
  const first = await createFullThread(home, canary, "look at the shelf", "shelf");
  const shelf = first.ref;
  // Serials beyond those of the other household on the same day.
  if (hasSecretThread)
    for (const id of ["one", "two", "three"]) await agent.createThread(`look at ${canary}`, { id });
  const { ref, message } = hasSecretThread
    ? await createFullThread(home, canary, `find the ${canary} key`, `${canary}-id`)
    : first;
  const link = await createLink(owner, shelf);
  const named = await createLink(owner, ref);
  const { attachments } = await agent.read(`/mess/${ref}`);
  const { upload } = await postJson(ann, `/mess/${ref}/uploads`, { name: canary, size: 6_000_000 });
  const { deliveries } = await waitUntil(async () => {
    const listed = await owner.read(`/mess/${ref}/deliveries`);
    const states = new Set(listed.deliveries.map(({ state }: { state: string }) => state));
    expect(states).toContain("delivered");
    expect(states).not.toContain("due");
    return listed;
  });
  const { id: key } = await postJson(owner, "/api/v1/keys", {
    actor: "ben",
    role: "executor",
    label: canary,
  });
  const schedule = `weekly-${canary}`;
  await postJson(owner, "/api/v1/schedules", {
    id: schedule,
    cron: "0 18 * * mon",
    request: { intent: `look after ${canary}` },
  });
  const secret = `SECRET_${canary.toUpperCase().replace("-", "_")}`;
  await expectOkJson(
    await owner.fetch(`/api/v1/secrets/${secret}`, {
      method: "PUT",
      body: JSON.stringify({ value: canary.repeat(4) }),
      headers: { "Content-Type": "application/json" },
    }),
  );
  const person = `guest-${canary}`;
  await postJson(owner, "/api/v1/sign-in-links", { actor: person, role: "agent" });
  const browser = await openSignedIn([home, "ann"]);
  const client = await Client.register({ client_name: `App ${canary}` });
  const tokens = await client.tokens(browser, { [home.id]: "executor" });
  const { grants } = await owner.read("/api/v1/grants");
  const groupClient = await Client.register({ client_name: `Groups ${canary}` }, "/mcp/groups");
  const groupTokens = await groupClient.tokens(browser, { [home.id]: "executor" });
  const signedInOwner = await openSignedIn([home, "mum", "owner"]);
  const reader = await Client.register({ client_name: `Mail ${canary}` }, "/mcp/messages");
  const messageTokens = await reader.tokens(signedInOwner, { [home.id]: "agent" });
  const group = await createFullGroup(home, canary);
  const source = await createFullSource(home, canary);
  await postJson(owner, "/reservations", { names: ["the oven"], reason: `for ${canary}` });
  return {
    home,
    shelf,
    link,
    cookies: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
    tokens,
    groupTokens,
    messageTokens,
    canary,
    names: {
      household: home.id,
      ref,
      clientId: hasSecretThread ? `${canary}-id` : "shelf",
      message,
      file: attachments[0].name,
      upload,
      delivery: deliveries[0].id,
      jti: named.jti,
      key,
      schedule,
      secret,
      person,
      grant: grants[0].id,
      suggestion: `${ref}/response-001`,
      signIn: `signin_${home.id}_${"0".repeat(64)}`,
      ...group,
      ...source,
    },
  };
}

const ABSENT_UUID = "00000000-0000-4000-8000-000000000000";

/** Names of the same forms as the given ones, of nothing that exists. */
export function buildAbsentNames(real: Names, slug: string): Names {
  const [day = ""] = /^\d{4}-\d\d-\d\d/.exec(real.ref) ?? [];
  const ref = `${day}-877-${slug}`;
  const household = real.household.replace(/.{8}$/, "00000000");
  return {
    household,
    ref,
    clientId: `${real.clientId}-x`,
    message: real.message,
    file: real.file,
    upload: ABSENT_UUID,
    delivery: ABSENT_UUID,
    jti: ABSENT_UUID,
    key: ABSENT_UUID,
    schedule: `${real.schedule}-x`,
    secret: `${real.secret}_X`,
    person: `${real.person}-x`,
    grant: ABSENT_UUID,
    suggestion: `${ref}/response-001`,
    signIn: real.signIn.replace(real.household, household),
    group: "g_000000000000",
    ops: "o_000000000000",
    worker: "a_000000000000",
    poolAgent: "a_000000000001",
    groupMessage: "msg_000000000000",
    source: "mail-of-nobody",
    sourceMessage: "m_0000000000001",
    sourceDraft: "d_0000000000001",
  };
}

/** Everything by which a response could reveal the twin, except what its twin has too. */
export const listForeignTexts = ({ canary, names }: Twin): string[] => [
  canary,
  canary.toUpperCase().replace("-", "_"),
  btoa(canary.repeat(300)).slice(0, 24),
  names.household,
  names.upload,
  names.delivery,
  names.jti,
  names.key,
  names.grant,
  names.group,
  names.ops,
  names.worker,
  names.poolAgent,
  names.groupMessage,
  names.sourceMessage,
  names.sourceDraft,
];
