import { refuse } from "../../../../mess/errors.ts";

export const refuseExchangeId = () =>
  refuse(
    "bad_parameter",
    "not an exchange id",
    "Use the household's id: lower-case letters, digits and dashes.",
    { path: "exchange" },
  );
