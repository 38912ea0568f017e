/** A change of an object commits as a whole or leaves nothing. */

/** Rolls a transaction back; never leaves this module. */
class Refused extends Error {}

/**
 * Runs `work` in one transaction. A refusal (`ok: false`) or an exception leaves nothing in the tables and calls
 * `onRollback`, where the caller resets what it caches of them.
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
