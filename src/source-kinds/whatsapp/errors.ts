/** The errors of the Cloud API that owners meet, in plain words. */

const REASONS: Readonly<Record<number, string>> = {
  131_047:
    "more than 24 hours have passed since the person last wrote. WhatsApp then allows only approved templates, so wait until the person writes again",
  131_026: "the message cannot be delivered: the number may not use WhatsApp",
  131_030: "the number is not among those that a test number may write to",
  131_049: "WhatsApp does not deliver it to this person now, to limit how much they receive",
  131_056: "too many messages to this person within a short time",
  130_429: "too many messages within a short time",
  130_472: "WhatsApp did not deliver it, because this person is part of an experiment by Meta",
  131_031: "the account is locked for a violation of a policy",
  368: "the account is blocked for a time for a violation of a policy",
  190: "the access token has expired or was revoked",
};

/** Codes after which another attempt has the same end. */
const PERMANENT_CODES: readonly number[] = [
  131_047, 131_026, 131_030, 131_031, 131_051, 130_472, 131_008, 131_009, 100, 190, 10, 200, 33,
];

const THROTTLING_CODES: readonly number[] = [4, 80_007, 130_429, 131_048, 131_056];

export const explainWhatsappError = (code: number): string | undefined => REASONS[code];
export const isPermanentWhatsappCode = (code: number): boolean => PERMANENT_CODES.includes(code);
export const isThrottlingWhatsappCode = (code: number): boolean => THROTTLING_CODES.includes(code);
