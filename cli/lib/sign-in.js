/** The device flow (RFC 8628): a person confirms the code of this program on a page of the exchange. */
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { CliError } from "./errors.js";
import { Exchange } from "./exchange.js";
import { toSafeText } from "./text.js";

const SLOW_DOWN_SECONDS = 5;

/**
 * @param {import("./command.js").Context} context
 * @param {string} url
 * @param {string} label what the page shows as the program that asks
 * @returns {Promise<string>} an API key
 */
export async function signInByBrowser(context, url, label) {
  const exchange = new Exchange({ url });
  const device = await exchange.post("/api/v1/device-codes", { client_name: label });
  const { device_code, user_code, verification_uri, verification_uri_complete, expires_in } =
    device;
  context.note(
    `Open ${toSafeText(verification_uri)} and confirm the code ${toSafeText(user_code)}`,
  );
  if (process.stdout.isTTY && !context.values["no-browser"]) openBrowser(verification_uri_complete);
  context.note("Waiting for your confirmation in the browser…");
  const end = Date.now() + expires_in * 1_000;
  for (let { interval } = device; Date.now() < end;) {
    await sleep(interval * 1_000);
    const found = await poll(exchange, device_code);
    if (typeof found === "object") return found.api_key;
    if (found === "slow_down") interval += SLOW_DOWN_SECONDS;
  }
  throw new CliError("nobody confirmed the code in time", {
    hint: "Repeat mess login.",
    exit: "signedOut",
  });
}

/** @param {Exchange} exchange @param {string} device_code @returns {Promise<{ api_key: string } | string>} */
async function poll(exchange, device_code) {
  try {
    return await exchange.post("/api/v1/device-tokens", { device_code });
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.code === "authorization_pending" || error.code === "slow_down") return error.code;
    if (error.code === "access_denied" || error.code === "expired_token") error.exit = "signedOut";
    throw error;
  }
}

/** Only an address of the web is opened, since the exchange chose it. @param {string} address */
function openBrowser(address) {
  if (!/^https?:\/\//.test(address)) return;
  const [command, ...args] =
    process.platform === "darwin"
      ? ["open"]
      : process.platform === "win32"
        ? ["rundll32", "url.dll,FileProtocolHandler"]
        : ["xdg-open"];
  // Without a browser, the person opens the printed address.
  spawn(command ?? "", [...args, address], { stdio: "ignore", detached: true })
    .on("error", () => undefined)
    .unref();
}
