/** The sources that the caller may read, with their status. */
import type { Principal } from "../../auth/principal.ts";
import type { SourceListing } from "../../contracts/household-sources.ts";
import type { SourceStatus } from "../../contracts/sources.ts";
import { defined } from "../../mess/defined.ts";
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { getSourceStub } from "../../stubs.ts";
import type { ExchangeBindings } from "../with-thread.ts";
import { callSources, withSource } from "./with-source.ts";

export interface SourceOverview extends SourceStatus {
  /** Where messages are sent to: a mail address, or the URL of its webhook. */
  address?: string;
}

export const listSources = (
  env: ExchangeBindings,
  principal: Principal,
): Promise<Outcome<SourceOverview[]>> =>
  callSources(env, principal, async (sources) => {
    const listed = await sources.list(principal);
    if (!listed.ok) return listed;
    return ok(
      await Promise.all(listed.value.map((listing) => readStatus(env, principal, listing))),
    );
  });

export const readSourceStatus = (
  env: ExchangeBindings,
  principal: Principal,
  name: string,
): Promise<Outcome<SourceOverview>> =>
  withSource(env, principal, name, "read", async (_source, listing) =>
    ok(await readStatus(env, principal, listing)),
  );

/** The household decides what the source is; its object, which may not have heard of the latest change, counts. */
async function readStatus(
  env: ExchangeBindings,
  { household }: Principal,
  { name, kind, title, status, can_send, address }: SourceListing,
): Promise<SourceOverview> {
  const counted = await getSourceStub(env, household, name).messages.status();
  const counts = counted.ok ? counted.value : NOTHING_RECEIVED;
  return {
    ...counts,
    source: name,
    kind,
    status,
    can_send,
    ...defined({ title, address }),
  };
}

/** The household has not sent the record of a new source yet. */
const NOTHING_RECEIVED = { messages: 0, unseen: 0, unclassified: 0, drafts: 0 };
