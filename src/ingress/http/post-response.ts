/** Builds the response to posted messages. */
import type { Posted } from "../../exchange/exchange.ts";
import type { ResponseData } from "./response.ts";

/** 201 if a thread was created, 207 if some of the messages were refused, else 200. */
export function getPostStatus({ entries, created }: Posted): 200 | 201 | 207 {
  if (entries.some((entry) => "error" in entry)) return 207;
  return created ? 201 : 200;
}

/** Builds `{MESS: […]}` with one ack, response or error for each message, in order. */
export function buildPostResponse(posted: Posted): ResponseData {
  const made = posted.created && posted.entries.find((entry) => "ack" in entry);
  const ref = made && "ack" in made && made.ack["ref"];
  return {
    status: getPostStatus(posted),
    body: { MESS: posted.entries },
    ...(typeof ref === "string" ? { headers: { Location: `/mess/${ref}` } } : {}),
  };
}
