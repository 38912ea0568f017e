/** Creates passkeys in a browser, and signs in with them. */
import { expectOkJson } from "../support.ts";
import type { Authenticator, CreationOptions, Faults } from "./authenticator.ts";
import type { Browser } from "./support.ts";

export const readForm = async (browser: Browser): Promise<string> =>
  (await browser.open("/sign-in")).form;

/** Creates a passkey in a signed-in browser. */
export async function registerPasskey(
  browser: Browser,
  authenticator: Authenticator,
  faults: Faults = {},
): Promise<Response> {
  const form = await readForm(browser);
  const options = (await expectOkJson(
    await browser.json("/passkeys/options", { form }),
  )) as CreationOptions;
  return await browser.json("/passkeys", {
    form,
    response: await authenticator.create(options, faults),
  });
}

export async function signInByPasskey(
  browser: Browser,
  authenticator: Authenticator,
  faults: Faults = {},
): Promise<Response> {
  const form = await readForm(browser);
  const options = await expectOkJson(await browser.json("/sign-in/passkey/options", { form }));
  return await browser.json("/sign-in/passkey", {
    form,
    response: await authenticator.get(options, faults),
  });
}
