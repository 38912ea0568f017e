/** Drafts, approvals and what was sent. */
import type { Principal } from "../../auth/principal.ts";
import type { Approval, DraftChange, NewDraft, OutboxRpc } from "../../contracts/sources.ts";
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import type { SourceContext } from "../source-context.ts";
import type { StoredDraft } from "../tables/draft-table.ts";
import type { SourceStore } from "../tables/source-store.ts";
import { addDraft } from "./add-draft.ts";
import { approve, checkPerson, readRoute, requestApproval, undo } from "./approvals.ts";
import { discard, revise, withDraft } from "./change-drafts.ts";
import { listDrafts } from "./list-drafts.ts";
import { showDraft } from "./show-draft.ts";

export class OutboxFacet implements OutboxRpc {
  readonly #context: SourceContext;

  constructor(context: SourceContext) {
    this.#context = context;
  }

  async create({ actor }: Principal, draft: NewDraft): ReturnType<OutboxRpc["create"]> {
    return this.#context.change((store, now) => {
      const added = addDraft(store, actor, draft, now);
      return added.ok ? ok(showDraft(store, added.value)) : added;
    });
  }

  async revise(
    { actor }: Principal,
    id: string,
    change: DraftChange,
  ): ReturnType<OutboxRpc["revise"]> {
    return this.#change(id, (store, draft, now) => revise(store, actor, draft, change, now));
  }

  async discard(_caller: Principal, id: string): ReturnType<OutboxRpc["discard"]> {
    return this.#change(id, discard);
  }

  async list(query: Parameters<OutboxRpc["list"]>[0]): ReturnType<OutboxRpc["list"]> {
    return this.#context.read((store) => listDrafts(store, query));
  }

  async read(id: string): ReturnType<OutboxRpc["read"]> {
    return this.#context.read((store) =>
      withDraft(store, id, (draft) => ok(showDraft(store, draft))),
    );
  }

  async requestApproval(_caller: Principal, id: string): ReturnType<OutboxRpc["requestApproval"]> {
    return this.#change(id, requestApproval);
  }

  async approve(
    person: Principal,
    { draft: id, digest, send_at: sendAt }: Approval,
  ): ReturnType<OutboxRpc["approve"]> {
    const checked = checkPerson(person);
    if (!checked.ok) return checked;
    const route = await readRoute(this.#context);
    const approval = { by: person.actor, digest, sendAt, route };
    return this.#change(id, (store, draft, now) => approve(store, draft, approval, now));
  }

  async undo(person: Principal, id: string): ReturnType<OutboxRpc["undo"]> {
    const checked = checkPerson(person);
    return checked.ok ? this.#change(id, undo) : checked;
  }

  #change(
    id: string,
    work: (store: SourceStore, draft: StoredDraft, now: number) => Outcome<StoredDraft>,
  ) {
    return this.#context.change((store, now) =>
      withDraft(store, id, (draft) => {
        const changed = work(store, draft, now);
        return changed.ok ? ok(showDraft(store, changed.value)) : changed;
      }),
    );
  }
}
