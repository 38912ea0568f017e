/**
 * Crashes all objects at a chosen statement of their transactions: that transaction is rolled back, no other commits,
 * and every answer is lost, until the objects have been restarted.
 */
import { abortAllDurableObjects } from "cloudflare:test";
import { GroupObject } from "../../../../src/groups/group-object.ts";
import { HouseholdObject } from "../../../../src/household/household-object.ts";
import { SourceObject } from "../../../../src/sources/source-object.ts";

/** Returned in place of an answer, since the test runner reports every rejected call of an object as an error. */
const LOST_ANSWER = "the object crashed";
const CRASH_MESSAGE = "crashed at this statement";

type Method = (this: unknown, ...given: unknown[]) => unknown;

const CALLS: readonly [object, readonly string[]][] = [
  [HouseholdObject.prototype, ["callFacet"]],
  [SourceObject.prototype, ["callFacet", "sync", "alarm"]],
  [GroupObject.prototype, ["sync", "post", "endAssignment", "listSeen", "send", "status"]],
];

function replaceMethod(object: object, name: string, wrap: (method: Method) => Method): void {
  const prototype = Object.getPrototypeOf(object) as Record<string, Method>;
  Object.defineProperty(prototype, name, { value: wrap(prototype[name]!) });
}

export class CrashingStorage {
  #statementsLeft = Infinity;
  #hasCrashed = false;
  #isInTransaction = false;

  /** @param objectStorage that of any object, since the objects of an isolate share its prototypes */
  install(objectStorage: DurableObjectStorage): void {
    // oxlint-disable-next-line typescript/no-this-alias
    const storage = this;
    replaceMethod(
      objectStorage.sql,
      "exec",
      (exec) =>
        function (...given) {
          if (storage.#isInTransaction) storage.#count();
          return exec.apply(this, given);
        },
    );
    replaceMethod(
      objectStorage,
      "transactionSync",
      (transactionSync) =>
        function (...given) {
          if (storage.#hasCrashed) throw new Error(CRASH_MESSAGE);
          storage.#isInTransaction = true;
          try {
            return transactionSync.apply(this, given);
          } finally {
            storage.#isInTransaction = false;
          }
        },
    );
    for (const [object, names] of CALLS)
      for (const name of names) this.#wrapCall(object as Record<string, Method>, name);
  }

  #count(): void {
    if (--this.#statementsLeft < 0) this.#hasCrashed = true;
    if (this.#hasCrashed) throw new Error(CRASH_MESSAGE);
  }

  #wrapCall(prototype: Record<string, Method>, name: string): void {
    const method = prototype[name]!;
    // oxlint-disable-next-line typescript/no-this-alias
    const storage = this;
    prototype[name] = async function (...given) {
      try {
        const answer = await method.apply(this, given);
        return storage.#hasCrashed ? LOST_ANSWER : answer;
      } catch (error) {
        if (storage.#hasCrashed) return LOST_ANSWER;
        throw error;
      }
    };
  }

  /** Runs the work with a crash after so many statements, then restarts all objects. @returns whether it crashed */
  async crashAfter(statements: number, work: () => Promise<unknown>): Promise<boolean> {
    this.#statementsLeft = statements;
    await work();
    const crashed = this.#hasCrashed;
    await abortAllDurableObjects();
    this.#statementsLeft = Infinity;
    this.#hasCrashed = false;
    return crashed;
  }
}
