/** Message sources: which there are, who may read them, the policy, rules and notices. */
import type { SourcesRpc } from "../../contracts/household-sources.ts";
import type { HouseholdContext } from "../household-context.ts";

export class SourcesFacet implements SourcesRpc {
  readonly #context: HouseholdContext;

  constructor(context: HouseholdContext) {
    this.#context = context;
    void this.#context;
  }

  list(): ReturnType<SourcesRpc["list"]> {
    return Promise.reject(new Error("not built yet"));
  }

  authorize(): ReturnType<SourcesRpc["authorize"]> {
    return Promise.reject(new Error("not built yet"));
  }

  register(): ReturnType<SourcesRpc["register"]> {
    return Promise.reject(new Error("not built yet"));
  }

  setStatus(): ReturnType<SourcesRpc["setStatus"]> {
    return Promise.reject(new Error("not built yet"));
  }

  remove(): ReturnType<SourcesRpc["remove"]> {
    return Promise.reject(new Error("not built yet"));
  }

  openSettings(): ReturnType<SourcesRpc["openSettings"]> {
    return Promise.reject(new Error("not built yet"));
  }

  findByKind(): ReturnType<SourcesRpc["findByKind"]> {
    return Promise.reject(new Error("not built yet"));
  }

  listNames(): ReturnType<SourcesRpc["listNames"]> {
    return Promise.reject(new Error("not built yet"));
  }

  getPolicy(): ReturnType<SourcesRpc["getPolicy"]> {
    return Promise.reject(new Error("not built yet"));
  }

  listPolicies(): ReturnType<SourcesRpc["listPolicies"]> {
    return Promise.reject(new Error("not built yet"));
  }

  setPolicy(): ReturnType<SourcesRpc["setPolicy"]> {
    return Promise.reject(new Error("not built yet"));
  }

  listRules(): ReturnType<SourcesRpc["listRules"]> {
    return Promise.reject(new Error("not built yet"));
  }

  setRules(): ReturnType<SourcesRpc["setRules"]> {
    return Promise.reject(new Error("not built yet"));
  }

  getClassification(): ReturnType<SourcesRpc["getClassification"]> {
    return Promise.reject(new Error("not built yet"));
  }

  addExample(): ReturnType<SourcesRpc["addExample"]> {
    return Promise.reject(new Error("not built yet"));
  }

  postNotice(): ReturnType<SourcesRpc["postNotice"]> {
    return Promise.reject(new Error("not built yet"));
  }

  listNotices(): ReturnType<SourcesRpc["listNotices"]> {
    return Promise.reject(new Error("not built yet"));
  }
}
