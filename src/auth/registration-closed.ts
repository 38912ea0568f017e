import { refuse } from "../mess/errors.ts";

/** The same for a household that does not exist, so that a stranger cannot find out which do. */
export const refuseRegistrationClosed = () =>
  refuse(
    "registration_closed",
    "this exchange registers nobody without its owners",
    "Ask an owner of the household for an invitation or for an API key (POST /api/v1/keys with the role member); owners may open registration with config.access.registration.",
  );
