/**
 * The production Worker with four additions: the baseline, a bare object that inserts one row for each request; the
 * least that a create needs, from such objects; counters around every store, read and reset at `/bench/counters`; and
 * `/bench/fetch`, which sends one request to the address in its body, the minimum that a notice can cost.
 */
import { DurableObject } from "cloudflare:workers";
import { createApp } from "../src/app.ts";
import type { ThreadSummary } from "../src/contracts/thread.ts";
import { HouseholdObject as Household } from "../src/household/household-object.ts";
import {
  GroupObject as Group,
  SourceObject as Source,
  ThreadObject as Thread,
} from "../src/index.ts";
import { upsertThread } from "../src/partitions/upsert.ts";
import {
  countAlarm,
  countBucket,
  countDatabase,
  countObjects,
  readCounters,
  readWriters,
  isCounting,
  countStorage,
  resetCounters,
} from "./lib/counters.ts";

interface BenchEnv extends Env {
  BASELINE: DurableObjectNamespace<BaselineObject>;
}

const environments = new WeakMap<Env, Env>();

export class ThreadObject extends Thread {
  constructor(ctx: DurableObjectState, env: Env) {
    countStorage("thread", ctx.storage);
    super(ctx, countCalls(env));
  }

  override async alarm(): Promise<void> {
    countAlarm();
    await super.alarm();
  }
}

export class GroupObject extends Group {
  constructor(ctx: DurableObjectState, env: Env) {
    countStorage("group", ctx.storage);
    super(ctx, countCalls(env));
  }
}

export class SourceObject extends Source {
  constructor(ctx: DurableObjectState, env: Env) {
    countStorage("source", ctx.storage);
    super(ctx, countCalls(env));
  }
}

export class HouseholdObject extends Household {
  constructor(ctx: DurableObjectState, env: Env) {
    countStorage("household", ctx.storage);
    super(ctx, countCalls(env));
  }

  override async alarm(): Promise<void> {
    countAlarm();
    await super.alarm();
  }
}

const CRASH_CHECK_MS = 8_000;
/** The object that stands for the household in the least that a create needs. */
const LEAST_HOUSEHOLD = "household";

/** The minimum that an append can cost: one row in one object, acknowledged when it is durable. */
export class BaselineObject extends DurableObject<BenchEnv> {
  readonly #sql: SqlStorage;

  constructor(ctx: DurableObjectState, env: BenchEnv) {
    super(ctx, env);
    this.#sql = ctx.storage.sql;
    this.#sql.exec("CREATE TABLE IF NOT EXISTS rows (n INTEGER PRIMARY KEY, body TEXT NOT NULL)");
  }

  insert(body: string): number {
    this.#sql.exec("INSERT INTO rows (body) VALUES (?)", body);
    return this.#sql.exec<{ n: number }>("SELECT last_insert_rowid() AS n").one().n;
  }

  /** A row and an alarm; after the commit a row in the index, and one in the object that stands for the household. */
  async create(name: string, body: string): Promise<number> {
    const n = this.insert(body);
    const alarmSet = this.ctx.storage.setAlarm(Date.now() + CRASH_CHECK_MS);
    this.ctx.waitUntil(
      Promise.all([
        upsertThread(this.env.INDEX, buildLeastSummary(name, body)),
        this.env.BASELINE.getByName(LEAST_HOUSEHOLD).insert(body),
      ]),
    );
    await alarmSet;
    return n;
  }

  override alarm(): void {
    this.last();
  }

  last(): string {
    return this.#sql.exec<{ body: string }>("SELECT body FROM rows ORDER BY n DESC LIMIT 1").one()
      .body;
  }
}

const buildLeastSummary = (ref: string, text: string): ThreadSummary => ({
  household: LEAST_HOUSEHOLD,
  ref,
  client_id: null,
  seq: 1,
  status: "pending",
  partition: "received",
  requestor: "claude",
  executor: null,
  participants: ["ann", "claude"],
  intent: text,
  priority: "normal",
  zone: "UTC",
  created: Date.now(),
  updated: Date.now(),
  expires: null,
  text,
});

/** Wraps each environment once; the platform passes the same one to all requests of an isolate. */
function countCalls(env: Env): Env {
  if (!isCounting()) return env;
  const known = environments.get(env);
  if (known) return known;
  const wrapped = {
    ...env,
    THREADS: countObjects(env.THREADS),
    GROUPS: countObjects(env.GROUPS),
    SOURCES: countObjects(env.SOURCES),
    HOUSEHOLDS: countObjects(env.HOUSEHOLDS),
    INDEX: countDatabase(env.INDEX),
    BLOBS: countBucket(env.BLOBS),
  };
  environments.set(env, wrapped);
  return wrapped;
}

const app = createApp();

export default {
  async fetch(request, env, ctx): Promise<Response> {
    const { pathname } = new URL(request.url);
    const [, route, name] = pathname.split("/");
    if (route === "baseline") {
      const stub = env.BASELINE.getByName(name ?? "");
      return request.method === "POST"
        ? Response.json({ n: await stub.insert(await request.text()) })
        : new Response(await stub.last());
    }
    if (route === "least-create") {
      const body = await request.text();
      await env.BASELINE.getByName(LEAST_HOUSEHOLD).insert(body);
      return Response.json({
        n: await env.BASELINE.getByName(name ?? "").create(name ?? "", body),
      });
    }
    if (pathname === "/bench/fetch") {
      const { status } = await fetch(await request.text(), { method: "POST", body: "a notice" });
      return Response.json({ status });
    }
    if (pathname === "/bench/counters") {
      if (request.method === "DELETE") resetCounters();
      return Response.json(readCounters());
    }
    if (pathname === "/bench/writers") return Response.json(readWriters());
    return await app.fetch(request, countCalls(env), ctx);
  },
} satisfies ExportedHandler<BenchEnv>;
