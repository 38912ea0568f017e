/** Counts files in the household before they are stored, so that a quota refuses them before a byte is written. */
import { getHouseholdStub } from "../../stubs.ts";
import type { Principal } from "../../auth/principal.ts";
import type { NewFiles } from "../../contracts/quotas.ts";
import type { Outcome } from "../../mess/errors.ts";

type Uploader = Pick<Principal, "household" | "actor">;

/** A file without a valid size is refused when it is stored. */
const toNewFiles = ({ actor }: Uploader, sizes: readonly number[]): NewFiles => ({
  actor,
  files: sizes.length,
  bytes: sizes.filter((size) => size > 0).reduce((sum, size) => sum + size, 0),
});

/** @param sizes bytes of each file */
export const reserveFiles = async (
  env: Pick<Env, "HOUSEHOLDS">,
  uploader: Uploader,
  sizes: readonly number[],
): Promise<Outcome<true>> =>
  sizes.length === 0
    ? { ok: true, value: true }
    : await getHouseholdStub(env, uploader.household).quotas.reserveFiles(
        toNewFiles(uploader, sizes),
      );

/** Takes files back that were not stored. A failure does not fail the call: the cleanup of the day counts again. */
export async function releaseFiles(
  env: Pick<Env, "HOUSEHOLDS">,
  uploader: Uploader,
  sizes: readonly number[],
): Promise<void> {
  if (sizes.length === 0) return;
  await getHouseholdStub(env, uploader.household)
    .quotas.releaseFiles(toNewFiles(uploader, sizes))
    .catch(() => undefined);
}
