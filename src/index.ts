/** The Worker's entry point: passes requests and mail to their handlers, and exports the Durable Object classes. */
import { createApp } from "./app.ts";
import type { PostReply } from "./delivery/delivery-attempt.ts";
import { sendMessages } from "./exchange/exchange.ts";
import { createPostForMember } from "./exchange/group-calls/post-for-member.ts";
import { GroupObject as Group } from "./groups/group-object.ts";
import { receiveEmail } from "./ingress/email/receive-email.ts";
import { createPostForSource } from "./exchange/source-calls/post-for-source.ts";
import { SourceObject as Source } from "./sources/source-object.ts";
import { ThreadObject as Thread } from "./thread/thread-object.ts";

export { HouseholdObject } from "./household/household-object.ts";

/** The thread's object with access to `sendMessages`, so that a machine's reply to a delivery is posted as a message. */
export class ThreadObject extends Thread {
  constructor(ctx: DurableObjectState, env: Env) {
    const postReply: PostReply = async (sender, reply) =>
      (await sendMessages(env, sender, reply)).ok;
    super(ctx, env, postReply);
  }
}

/** The group's object with access to `sendMessages`, so that a task for a person or robot becomes a request. */
export class GroupObject extends Group {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, createPostForMember(env));
  }
}

/** The source's object with access to the exchange, so that it can ask owners for their approval. */
export class SourceObject extends Source {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, createPostForSource(env));
  }
}

const app = createApp();

export default {
  fetch: (request, env, ctx) => app.fetch(request, env, ctx),
  email: (message, env) => receiveEmail(message, env),
} satisfies ExportedHandler<Env>;
