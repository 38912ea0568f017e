/** The contacts of the members that are due to be notified, and the owners that an alert is sent to. */
import type { Contact, Contacts } from "../contracts/contacts.ts";
import { defined } from "../mess/defined.ts";
import { withTimeout } from "../object/with-timeout.ts";
import { getHouseholdStub } from "../stubs.ts";
import {
  ALREADY_PENDING_REASON,
  type Delivery,
  getQueueKey,
  NO_CHANNEL_REASON,
} from "./delivery.ts";
import type { DeliveryPort } from "./delivery-port.ts";
import { HOUSEHOLD_TIMEOUT_MS } from "./household-call.ts";

export interface Recipients {
  /** By queue. Former members are missing. */
  contacts: ReadonlyMap<string, Contact>;
  /** Owners that have an address for alerts; empty where nothing of `due` is an alert. */
  owners: readonly Contact[];
  names: Contacts["names"];
  /** The household is suspended: nothing is sent before this instant, in milliseconds since 1970. */
  heldUntil?: number;
}

const NO_CONTACTS: Contacts = { contacts: [], names: {} };

/** An offer that no attempt was made for yet. */
export const isFirstOffer = ({ kind, attempts, isChannelFixed }: Delivery): boolean =>
  kind === "offer" && attempts === 0 && !isChannelFixed;

/** Asks the household for the contacts of the due members. Rejects where it does not respond. */
export async function findRecipients(
  env: Env,
  port: DeliveryPort,
  due: readonly Delivery[],
): Promise<Recipients> {
  const { priority, ref } = port.getState();
  const query = due.some(isFirstOffer) ? { isOffer: true as const } : {};
  const others = due.filter(({ kind }) => kind !== "alert");
  const members = [...new Set(others.map(({ executor }) => executor))];
  const household = getHouseholdStub(env, port.getHousehold());
  const [found, alerted] = await Promise.all([
    members.length === 0
      ? NO_CONTACTS
      : withTimeout(
          HOUSEHOLD_TIMEOUT_MS,
          household.contacts.findContacts({ recipients: members, priority, ref, ...query }),
        ),
    others.length === due.length
      ? NO_CONTACTS
      : withTimeout(
          HOUSEHOLD_TIMEOUT_MS,
          household.contacts.findContacts({ recipients: "owners", priority, ref }),
        ),
  ]);
  return {
    contacts: new Map([
      ...found.contacts.map((one): [string, Contact] => [one.executor, one]),
      ...alerted.contacts.map((one): [string, Contact] => [
        getQueueKey({ executor: one.executor, kind: "alert" }),
        one,
      ]),
    ]),
    owners: alerted.contacts.filter(({ addresses }) => addresses.length > 0),
    names: { ...alerted.names, ...found.names },
    ...defined({ heldUntil: found.held_until ?? alerted.held_until }),
  };
}

/** Replaces an alert to all owners by one for each owner that has an address. */
export async function alertOwners(
  env: Env,
  port: DeliveryPort,
  alert: Delivery,
  owners: readonly Contact[],
): Promise<void> {
  const { id, kind, event } = alert;
  await logAlert(env, port, alert);
  const { deliveries } = port;
  const now = Date.now();
  if (owners.length === 0) {
    const dropped = { state: "dropped" as const, error: NO_CHANNEL_REASON };
    return port.runTransaction(() => deliveries.change(id, dropped, now));
  }
  const waiting = new Set(
    deliveries
      .listDue(Infinity)
      .flatMap((one) => (one.kind === "alert" && one.handle === null ? one.executor : [])),
  );
  const each = { kind, event, channel: null, isChannelFixed: false, handle: null };
  port.runTransaction(() => {
    deliveries.remove(id);
    deliveries.add(
      owners.map(({ executor }) => ({
        executor,
        ...each,
        ...(event?.again && waiting.has(executor) ? { dropReason: ALREADY_PENDING_REASON } : {}),
      })),
      now,
    );
  });
}

/**
 * Logs an alert as an event, so that owners without any channel see it. Repeated alerts are logged already, and an
 * unreachable member is logged as an event of another kind.
 */
async function logAlert(env: Env, port: DeliveryPort, { event, at }: Delivery): Promise<void> {
  if (!event || event.again || event.what === "unreachable") return;
  const household = getHouseholdStub(env, port.getHousehold());
  const summary = { ...port.getSummary(), text: "" };
  await withTimeout(
    HOUSEHOLD_TIMEOUT_MS,
    household.events.recordEscalation(summary, event.text ?? "", at),
  );
}
