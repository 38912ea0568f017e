/** Shows a link to open on a phone, with a QR code where a phone can reach it. */
import { renderUnicodeCompact } from "uqr";

/** White on black in any color scheme of the terminal. */
const LIGHT_ON_DARK = "\u001B[97;40m";
const RESET = "\u001B[0m";

const isOnlyLocal = (url: string): boolean =>
  ["127.0.0.1", "localhost", "[::1]"].includes(new URL(url).hostname);

/**
 * Returns the link on a line of its own, followed by its QR code; for a link to this machine, by a hint instead, since
 * a phone cannot open it.
 * @param command the npm command that was run, such as `npm start`
 * @param colored whether the terminal understands colors
 */
export function formatPhoneLink(url: string, command: string, colored: boolean): string {
  const { origin, port } = new URL(url);
  if (isOnlyLocal(url))
    return `  ${url}

  A phone cannot open an address of this machine. To use a phone, run

    cloudflared tunnel --url ${origin}

  and start again with the https address that it prints:

    ${command} -- --port ${port} --public-origin https://…`;
  const code = renderUnicodeCompact(url, { border: 2 })
    .trimEnd()
    .split("\n")
    .map((line) => (colored ? `  ${LIGHT_ON_DARK}${line}${RESET}` : `  ${line}`));
  return [`  ${url}`, "", ...code].join("\n");
}
