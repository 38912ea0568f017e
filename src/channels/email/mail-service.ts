/** The errors of the mail service behind the binding `SEND_EMAIL`. */

/** Seconds to wait after these codes. */
const WAIT_SECONDS_BY_CODE: Readonly<Record<string, number>> = {
  E_RATE_LIMIT_EXCEEDED: 60,
  E_DAILY_LIMIT_EXCEEDED: 3_600,
};

/** The code of the service's error; undefined for any other error. */
export function readMailServiceCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && /^[A-Z_]{1,64}$/.test(code) ? code : undefined;
}

export const toMailWaitSeconds = (code: string): number | undefined => WAIT_SECONDS_BY_CODE[code];
