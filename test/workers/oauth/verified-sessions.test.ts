/** Which sign-ins identify an owner who approves drafts: an API key must not be able to make one. */
import { afterEach, expect, it, vi } from "vitest";
import { buildJsonInit } from "../respond/support.ts";
import { createOutboxScene, type OutboxScene } from "../sources/outbox-scene.ts";
import { unwrap } from "../outcomes.ts";
import { type Answered, expectOkJson, ORIGIN, readRefusal } from "../support.ts";
import { Authenticator } from "./authenticator.ts";
import { registerPasskey, signInByPasskey } from "./passkey-support.ts";
import { Browser, createOperatorLink, createSignInLink } from "./support.ts";

afterEach(() => {
  vi.useRealTimers();
});

const CLIENT = { "X-MESS-Client": "respond" };

async function followLink(link: Promise<string>): Promise<Browser> {
  const browser = new Browser();
  await browser.follow(await link);
  return browser;
}

/** Adds a passkey in the browser, and signs in with it in another one. */
async function signInByNewPasskey(browser: Browser): Promise<Browser> {
  const authenticator = await Authenticator.make(ORIGIN);
  await expectOkJson(await registerPasskey(browser, authenticator));
  const other = new Browser();
  await expectOkJson(await signInByPasskey(other, authenticator));
  return other;
}

async function approveIn(browser: Browser, scene: OutboxScene): Promise<string> {
  const { id, digest } = await scene.write(await scene.receive());
  const path = `/inbox/drafts/hook/${id}/approve`;
  const response = await browser.fetch(path, buildJsonInit({ digest }, CLIENT));
  return response.ok ? (await expectOkJson(response)).state : await readRefusal(response);
}

it("a session that a key's link opened approves nothing, nor does a passkey that was added in it", async () => {
  const scene = await createOutboxScene();
  const browser = await followLink(createSignInLink(scene.home, scene.owner.actor, "owner"));

  const byLink = await approveIn(browser, scene);
  const byPasskey = await approveIn(await signInByNewPasskey(browser), scene);
  // A session of the passkey must not add one that counts, either.
  const twice = await signInByNewPasskey(await signInByNewPasskey(browser));

  expect(byLink).toBe("403 person_required");
  expect(byPasskey).toBe("403 person_required");
  expect(await approveIn(twice, scene)).toBe("403 person_required");
});

it("a session that the operator's link opened approves, and so does a passkey that was added in it", async () => {
  const scene = await createOutboxScene();
  const { actor } = scene.owner;
  const opened = await followLink(createSignInLink(scene.home, actor, "owner"));
  await signInByNewPasskey(opened);
  const browser = await followLink(createOperatorLink(scene.home, actor));

  const byLink = await approveIn(browser, scene);
  // The page offers a first passkey, since the earlier one does not count.
  const page = (await browser.open("/sign-in")).text;
  const byPasskey = await approveIn(await signInByNewPasskey(browser), scene);

  expect(byLink).toBe("approved");
  expect(page).toContain("Add a passkey on this device");
  expect(byPasskey).toBe("approved");
});

it("a link that an owner made in a verified session approves, and one of another session does not", async () => {
  const scene = await createOutboxScene();
  const { actor } = scene.owner;
  const signIn = async (by: Browser): Promise<Browser> => {
    const init = buildJsonInit({ actor: "olga", role: "owner" }, CLIENT);
    const made = expectOkJson(await by.fetch("/api/v1/sign-in-links", init));
    return await followLink(made.then(({ url }) => url as string));
  };
  const verified = await signIn(await followLink(createOperatorLink(scene.home, actor)));
  const unverified = await signIn(await followLink(createSignInLink(scene.home, actor)));

  expect(await approveIn(verified, scene)).toBe("approved");
  expect(await approveIn(unverified, scene)).toBe("403 person_required");
});

it("the page of an approval offers its owner to send only in a verified session", async () => {
  const scene = await createOutboxScene();
  const { actor } = scene.owner;
  const draft = await scene.write(await scene.receive());
  unwrap(await scene.rpc.outbox.requestApproval(scene.agent, draft.id));
  await scene.waitForRequest("May this be sent");
  const ref = (await scene.owner.read("/mess")).threads[0].ref as string;
  const readPage = async (browser: Browser): Promise<Answered> =>
    await expectOkJson(await browser.fetch(`/respond/state?ref=${ref}`));
  const completed = { action: "completed" };

  const verified = await readPage(await followLink(createOperatorLink(scene.home, actor)));
  const unverified = await readPage(await followLink(createSignInLink(scene.home, actor)));

  expect(verified).toMatchObject({ decision: "send" });
  expect(verified.may).toContainEqual({ ...completed, allowed: true });
  expect(unverified.may).toContainEqual(
    expect.objectContaining({ ...completed, allowed: false, reason: "person_required" }),
  );
});

it("a key that makes another link does not weaken the session of the owner", async () => {
  const scene = await createOutboxScene();
  const { actor } = scene.owner;
  await createSignInLink(scene.home, actor, "owner");
  const browser = await followLink(createOperatorLink(scene.home, actor));
  const ofKey = await followLink(createSignInLink(scene.home, actor));

  expect(await approveIn(browser, scene)).toBe("approved");
  expect(await approveIn(ofKey, scene)).toBe("403 person_required");
});
