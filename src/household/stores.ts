/** Everything that a household keeps, each class over the same SQL handle. */
import { Breakers } from "./breakers.ts";
import { Catalogue } from "./catalogue.ts";
import { Calls, ClientIds } from "./client-ids.ts";
import { Observations } from "./coalesce.ts";
import { Credentials } from "./credentials.ts";
import { Dependencies } from "./dependencies.ts";
import { Errands } from "./errands.ts";
import { Events } from "./events.ts";
import { Grants } from "./grants.ts";
import { Members } from "./members.ts";
import { Passkeys } from "./passkeys.ts";
import { People } from "./people.ts";
import { Presences } from "./presences.ts";
import { Retired } from "./retired.ts";
import { Routing } from "./routing-config.ts";
import { Schedules } from "./schedules.ts";
import { Secrets } from "./secrets.ts";
import { Sendings } from "./sendings.ts";
import { Serials } from "./serials.ts";
import { Settings } from "./settings.ts";
import { Subscriptions } from "./subscriptions.ts";

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
  retired: Retired;
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
    retired: new Retired(sql),
    schedules: new Schedules(sql),
    errands: new Errands(sql),
    observations: new Observations(sql),
  };
}
