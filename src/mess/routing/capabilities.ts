/** Whether what an executor claims meets what a request asks (decisions 46 and 47). */
import { isMap, type Json } from "../json.ts";
import { type Capability, capabilityId } from "../wire/schema.ts";

/** A capability taken apart; `metadata` is undefined where none was given. */
export interface Claim {
  id: string;
  metadata?: Json;
}

export function readClaim(capability: Capability): Claim {
  if (typeof capability === "string") return { id: capabilityId(capability) };
  const [id = "", metadata] = Object.entries(capability)[0] ?? [];
  return { id: capabilityId(id), ...(metadata === undefined ? {} : { metadata }) };
}

/** `home-kitchen-access` of the area `home/kitchen`. */
export function accessCapability(area: string): string {
  const id = capabilityId(area);
  return id.endsWith("-access") ? id : `${id}-access`;
}

/** Everything that the executor claims, its areas included. */
export const claimsOf = (executor: {
  capabilities: readonly Capability[];
  access?: readonly string[];
}): Claim[] => [
  ...executor.capabilities.map(readClaim),
  ...(executor.access ?? []).map((area) => ({ id: accessCapability(area) })),
];

type Scalar = string | number | boolean;
const isScalar = (value: Json): value is Scalar => value !== null && typeof value !== "object";
const plain = (value: Scalar): string => capabilityId(String(value));

/** The comparable values of a scalar or of a list of scalars; undefined for anything else. */
function valuesOf(value: Json): string[] | undefined {
  if (isScalar(value)) return [plain(value)];
  return Array.isArray(value) && value.every(isScalar) ? value.map(plain) : undefined;
}

/** Undefined where the two agree or cannot be compared, else what was asked and what is offered. */
function difference(asked: Json, offered: Json): string | undefined {
  const wanted = valuesOf(asked);
  const given = valuesOf(offered);
  if (!wanted || !given || wanted.some((value) => given.includes(value))) return undefined;
  return `asks ${wanted.join(" or ") || "nothing"}, has ${given.join(" or ") || "nothing"}`;
}

function metadataFault(asked: Claim, offered: Claim): string | undefined {
  const [wanted, given] = [asked.metadata, offered.metadata];
  if (wanted === undefined || given === undefined) return undefined;
  if (!isMap(wanted) || !isMap(given)) return difference(wanted, given);
  for (const [key, value] of Object.entries(wanted)) {
    if (!Object.hasOwn(given, key)) continue;
    const fault = difference(value, given[key]!);
    if (fault) return `${key} ${fault}`;
  }
  return undefined;
}

/** Why the claims do not meet the requirement, or undefined where they do. */
export function unmet(asked: Claim, claims: readonly Claim[]): string | undefined {
  const same = claims.filter(({ id }) => id === asked.id);
  if (same.length === 0) return `lacks ${asked.id}`;
  const faults = same.map((claim) => metadataFault(asked, claim));
  return faults.includes(undefined) ? undefined : `${asked.id}: ${faults[0]}`;
}
