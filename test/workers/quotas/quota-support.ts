/** Households with limits of their own, their use, and the refusals that name a quota. */
import { type QuotaName, QUOTAS } from "../../../src/mess/quotas.ts";
import {
  type Answered,
  Caller,
  createFreshHousehold,
  expectOkJson,
  OPERATOR_KEY,
  type TestHousehold,
} from "../support.ts";

export const operator = new Caller("operator", OPERATOR_KEY);

export const putLimits = (id: string, limits: object): Promise<Response> =>
  operator.fetch(`/api/v1/households/${id}/limits`, {
    method: "PUT",
    body: JSON.stringify(limits),
    headers: { "Content-Type": "application/json" },
  });

export async function withLimits(
  limits: Partial<Record<QuotaName, number>>,
): Promise<TestHousehold> {
  const household = await createFreshHousehold();
  await expectOkJson(await putLimits(household.id, limits));
  return household;
}

export const readUse = async ({ owner }: TestHousehold, name: QuotaName): Promise<Answered> =>
  (await owner.read("/api/v1/limits")).limits.find((one: Answered) => one.name === name);

/** The refusal with the quota that it names and the time to wait. */
export async function readQuotaRefusal(response: Response) {
  const { error } = await response.json<Answered>();
  return {
    status: response.status,
    code: error.code,
    reason: error.reason,
    waits: Number(response.headers.get("Retry-After")) === error.retry_after,
    hint: error.hint,
  };
}

export const expectQuota = (name: QuotaName, status: number) => ({
  status,
  code: QUOTAS[name].code,
  reason: name,
  waits: true,
  hint: QUOTAS[name].hint,
});

export const request = (intent: string, more: object = {}) => ({ request: { intent, ...more } });
