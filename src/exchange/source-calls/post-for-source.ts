/** Sends the requests by which message sources ask owners for an approval, or tell them of an urgent message. */
import type { PostForSource } from "../../contracts/sources.ts";
import type { ExchangeBindings } from "../with-thread.ts";

export const createPostForSource =
  (_env: ExchangeBindings): PostForSource =>
  () =>
    Promise.reject(new Error("not built yet"));
