/** Opens, resolves, routes and lists the threads of the household, and records their changes. */
import { refuseThreadNotFound } from "../../auth/thread-not-found.ts";
import type { AuditSource } from "../../contracts/audit.ts";
import { deleteThread } from "./delete-thread.ts";
import type {
  HouseholdThreadsRpc,
  OpenedThread,
  OpenThreadsInput,
  ResolveOptions,
  ResolvedThreadFilter,
} from "../../contracts/household-threads.ts";
import type { ThreadSummary } from "../../contracts/thread.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import type { Json } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import {
  type Candidate,
  type Route,
  routeRequest,
  toCandidate,
} from "../../mess/routing/routing.ts";
import type { Effect } from "../../mess/thread/suggestions/effects.ts";
import type { Query, Request } from "../../mess/wire/schema.ts";
import { type HouseholdContext, refuseNoHousehold } from "../household-context.ts";
import { UNCREATED_EXPIRY_MS } from "../jobs/maintenance-jobs.ts";
import { answerQuery, resolveThreadFilter, type QueryCaller } from "./answer-query.ts";
import { recordObservation } from "./coalesce.ts";
import { computeRoute, openThreads, refuseReusedCallKey } from "./open-threads.ts";
import { findThreadQueuePosition } from "./queue-position.ts";
import { applySummary, recordSummary } from "./record-summary.ts";
import { resolveForCall } from "./resolve-target.ts";
import { enqueueEffect, planEffect } from "./suggestion-jobs.ts";

export class ThreadsFacet implements HouseholdThreadsRpc {
  readonly #context: HouseholdContext;
  readonly #env: Pick<Env, "THREADS">;
  readonly #notifyListeners: (summary: ThreadSummary) => void;

  /** @param notifyListeners called after a change of a thread is committed */
  constructor(
    context: HouseholdContext,
    env: Pick<Env, "THREADS">,
    notifyListeners: (summary: ThreadSummary) => void,
  ) {
    this.#context = context;
    this.#env = env;
    this.#notifyListeners = notifyListeners;
  }

  async openThreads(
    input: OpenThreadsInput,
  ): Promise<Outcome<{ zone: string; threads: OpenedThread[] }>> {
    const outcome = this.#context.transact((stores, now) => {
      const opened = openThreads(stores, input, now);
      return opened.ok ? ok({ zone: stores.settings.getZone(), threads: opened.value }) : opened;
    });
    if (outcome.ok) await this.#context.setAlarmBefore(Date.now() + UNCREATED_EXPIRY_MS);
    return outcome;
  }

  async checkCall(actor: string, key: string, digest: string): Promise<Outcome<true>> {
    const known = this.#context.openStores()?.idempotentCalls.get(actor, key);
    return known === undefined || known.digests.join() === digest
      ? ok(true)
      : refuseReusedCallKey();
  }

  async recordCall(actor: string, key: string, digest: string): Promise<void> {
    this.#context.write(({ idempotentCalls }) => {
      if (idempotentCalls.get(actor, key) === undefined)
        idempotentCalls.add(actor, key, [{ digest, ref: "" }]);
    });
  }

  async registerObservation(
    actor: string,
    ref: string,
    request: Request,
    observationDigest: string,
  ): Promise<void> {
    this.#context.write((stores, now) => {
      stores.observations.unjoin(ref);
      recordObservation(stores, actor, { ref, request, observationDigest }, now);
    });
  }

  async enqueueEffect(ref: string, effect: Effect): Promise<void> {
    const stores = this.#context.openStores();
    if (!stores) return;
    const plan = await planEffect(this.#env, stores, ref, effect);
    await this.#context.transactAndSetAlarm((_stores, now) => {
      enqueueEffect(stores, ref, plan, now);
      return ok(true as const);
    });
  }

  async resolveTarget(
    actor: string,
    target: string,
    options: ResolveOptions = {},
  ): Promise<Outcome<string>> {
    const stores = this.#context.openStores();
    return stores ? resolveForCall(stores, { ...options, actor }, target) : refuseNoHousehold();
  }

  async getQueuePosition(ref: string): Promise<number | null> {
    const stores = this.#context.openStores();
    return (stores && findThreadQueuePosition(stores, ref)) ?? null;
  }

  async findReferrers(ref: string): Promise<string[]> {
    return this.#context.openStores()?.contextReferences.findReferrers(ref) ?? [];
  }

  async previewRoute(request: Request, requestor?: string): Promise<Route> {
    const stores = this.#context.openStores();
    return stores
      ? computeRoute(stores, request, Date.now(), requestor)
      : routeRequest(request, [], { rules: [] }, { now: Date.now(), zone: "UTC" });
  }

  async findCandidate(id: string): Promise<Outcome<Candidate>> {
    const executors = this.#context.openStores()?.members.listExecutors() ?? [];
    const executor = executors.find((one) => one.id === id);
    if (executor) return ok(toCandidate(executor));
    return refuse("unknown_executor", "executor not found", "Name an executor of this household.", {
      valid: executors.map((one) => one.id),
    });
  }

  async answerQuery(query: Query, viewer: QueryCaller): Promise<Json> {
    const stores = this.#context.openStores();
    return stores ? answerQuery(stores, query, viewer, Date.now()) : { [query.type]: [] };
  }

  async resolveThreadFilter(filter: NonNullable<Query["filter"]>): Promise<ResolvedThreadFilter> {
    const stores = this.#context.openStores();
    return stores ? resolveThreadFilter(stores, filter, Date.now()) : {};
  }

  async recordSummary(summary: ThreadSummary): Promise<void> {
    const applied = this.#context.transact((stores, now) => ok(applySummary(stores, summary, now)));
    if (!applied.ok || !applied.value) return;
    this.#notifyListeners(summary);
    if (applied.value.hasNewJobs) await this.#context.setAlarm();
  }

  async findTasks(
    actor: string,
    after: number | undefined,
    limit: number,
  ): ReturnType<HouseholdThreadsRpc["findTasks"]> {
    return (
      this.#context.openStores()?.threadCatalog.findTasks(actor, after, limit) ?? {
        refs: [],
        cursor: after ?? 0,
      }
    );
  }

  async listRefs(after: string | null, limit: number): Promise<string[]> {
    return this.#context.openStores()?.threadCatalog.listRefs(after, limit) ?? [];
  }

  async findUnknownRefs(refs: string[]): Promise<string[]> {
    return this.#context.openStores()?.threadCatalog.findUnknown(refs) ?? refs;
  }

  async deleteThread(
    target: string,
    by: AuditSource,
  ): ReturnType<HouseholdThreadsRpc["deleteThread"]> {
    const deleted = this.#context.transact((stores, now) => deleteThread(stores, target, by, now));
    if (deleted.ok) await this.#context.runJobsNow("deleteThread");
    return deleted;
  }

  async adoptThread(summary: ThreadSummary): Promise<Outcome<true>> {
    return this.#context.transact((stores, now) => {
      if (stores.deletedThreads.find(summary.ref)) return refuseThreadNotFound();
      recordSummary(stores, summary, now);
      return ok(true as const);
    });
  }
}
