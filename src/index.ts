import { DurableObject } from "cloudflare:workers";
export class ThreadObject extends DurableObject<Env> {}
export { HouseholdObject } from "./household/object.ts";
export default { fetch: () => new Response("ok") } satisfies ExportedHandler<Env>;
