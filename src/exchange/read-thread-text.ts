/** Reads threads as the text of a response. A long text is fetched in parts while the response is sent. */
import type { Principal } from "../auth/principal.ts";
import type { ThreadRpc } from "../contracts/thread.ts";
import type { DocumentRange, ThreadPage, ThreadText } from "../contracts/thread-views.ts";
import type { Outcome } from "../mess/errors.ts";
import type { DocumentFormat } from "../mess/messe-af/write.ts";
import { ok } from "../mess/result.ts";
import { waitForView } from "./exchange.ts";
import { withThread, type ExchangeBindings } from "./with-thread.ts";

/** The thread with the first part of its documents, and the parts that follow it. */
export interface ThreadTextParts extends Omit<ThreadText, "rest"> {
  following?: AsyncIterable<string>;
}

/** Reads a page of a thread. `target` is a ref in any form of decision 4. */
export const readThreadText = (
  env: ExchangeBindings,
  principal: Principal,
  target: string,
  format: DocumentFormat,
  page: ThreadPage,
): Promise<Outcome<ThreadTextParts>> =>
  withThread(env, principal, target, undefined, ({ stub }) =>
    readParts(stub, principal, format, page),
  );

/** Like `waitForChange`, but with the thread as text. */
export const waitForThreadText = (
  env: ExchangeBindings,
  principal: Principal,
  target: string,
  format: DocumentFormat,
  after: number | undefined,
  timeout: number,
): Promise<Outcome<ThreadTextParts>> =>
  waitForView(env, principal, target, after, timeout, (stub, cursor) =>
    readParts(stub, principal, format, { after: cursor }),
  );

async function readParts(
  stub: ThreadRpc,
  principal: Principal,
  format: DocumentFormat,
  page: ThreadPage,
): Promise<Outcome<ThreadTextParts>> {
  const first = await stub.readThreadText(principal, format, page);
  if (!first.ok) return first;
  const { rest, ...text } = first.value;
  return ok(
    rest === undefined ? text : { ...text, following: readRest(stub, principal, format, rest) },
  );
}

/** Access is checked for each part. Where it has ended, an exception breaks the response off. */
async function* readRest(
  stub: ThreadRpc,
  principal: Principal,
  format: DocumentFormat,
  rest: DocumentRange,
): AsyncGenerator<string> {
  let next: DocumentRange | undefined = rest;
  while (next) {
    const part: Awaited<ReturnType<ThreadRpc["readDocumentText"]>> = await stub.readDocumentText(
      principal,
      format,
      next,
    );
    if (!part.ok) throw new Error(`the thread can no longer be read: ${part.error.code}`);
    yield part.value.text;
    next = part.value.rest;
  }
}
