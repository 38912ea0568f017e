/** Everything that a household keeps, each class over the same SQL handle. */
import { Breakers } from "./contacts/circuit-breakers.ts";
import { Catalogue } from "./threads/thread-catalog.ts";
import { Calls, ClientIds } from "./threads/client-ids.ts";
import { Observations } from "./threads/coalesce.ts";
import { Credentials } from "./identity/credentials.ts";
import { Dependencies } from "./threads/dependencies.ts";
import { Errands } from "./jobs/thread-jobs.ts";
import { Events } from "./events/events.ts";
import { Grants } from "./identity/grants.ts";
import { Members } from "./identity/members.ts";
import { Passkeys } from "./identity/passkeys.ts";
import { People } from "./identity/people.ts";
import { Presences } from "./contacts/presence.ts";
import { Revocations } from "./identity/link-revocations.ts";
import { Routing } from "./settings/routing-config.ts";
import { Schedules } from "./schedules/schedules.ts";
import { Secrets } from "./secrets/secrets.ts";
import { Sendings } from "./contacts/sent-messages.ts";
import { Serials } from "./threads/serials.ts";
import { Settings } from "./settings/settings.ts";
import { Subscriptions } from "./contacts/push-subscriptions.ts";

export interface Stores {
  settings: Settings;
  members: Members;
  credentials: Credentials;
  people: People;
  passkeys: Passkeys;
  grants: Grants;
  routing: Routing;
  serials: Serials;
  clientIds: ClientIds;
  calls: Calls;
  dependencies: Dependencies;
  catalogue: Catalogue;
  events: Events;
  secrets: Secrets;
  breakers: Breakers;
  sendings: Sendings;
  subscriptions: Subscriptions;
  presences: Presences;
  revocations: Revocations;
  schedules: Schedules;
  errands: Errands;
  observations: Observations;
}

export function storesOver(sql: SqlStorage): Stores {
  const settings = new Settings(sql);
  return {
    settings,
    members: new Members(sql),
    credentials: new Credentials(sql),
    people: new People(sql),
    passkeys: new Passkeys(sql),
    grants: new Grants(sql),
    routing: new Routing(sql, settings),
    serials: new Serials(sql),
    clientIds: new ClientIds(sql),
    calls: new Calls(sql),
    dependencies: new Dependencies(sql),
    catalogue: new Catalogue(sql),
    events: new Events(sql),
    secrets: new Secrets(sql),
    breakers: new Breakers(sql),
    sendings: new Sendings(sql),
    subscriptions: new Subscriptions(sql),
    presences: new Presences(sql),
    revocations: new Revocations(sql),
    schedules: new Schedules(sql),
    errands: new Errands(sql),
    observations: new Observations(sql),
  };
}
