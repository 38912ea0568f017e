/** Runs a change of an object in one transaction, which a refusal rolls back. */

/** Thrown to roll a transaction back, and caught in this module. */
class Refused extends Error {}

/**
 * Runs `work` in one transaction. A refusal (`ok: false`) or an exception rolls it back and calls `onRollback`,
 * in which the caller clears its cache of the tables.
 */
export function transact<Outcome extends { readonly ok: boolean }>(
  storage: Pick<DurableObjectStorage, "transactionSync">,
  work: () => Outcome,
  onRollback: () => void,
): Outcome {
  let outcome: Outcome | undefined;
  try {
    storage.transactionSync(() => {
      outcome = work();
      if (!outcome.ok) throw new Refused();
    });
  } catch (error) {
    onRollback();
    if (!(error instanceof Refused)) throw error;
  }
  return outcome!;
}
