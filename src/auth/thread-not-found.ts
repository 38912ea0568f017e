import { refuse } from "../mess/errors.ts";

/** One answer for what does not exist and for what is not the caller's to see: the two must not be told apart. */
export const refuseThreadNotFound = () =>
  refuse(
    "not_found",
    "no such thread",
    "Use the ref from an ack, or list your threads with GET /mess.",
  );
