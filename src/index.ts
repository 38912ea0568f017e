import { DurableObject } from "cloudflare:workers";
export class ThreadObject extends DurableObject<Env> {}
export class HouseholdObject extends DurableObject<Env> {}
export default { fetch: () => new Response("ok") } satisfies ExportedHandler<Env>;
