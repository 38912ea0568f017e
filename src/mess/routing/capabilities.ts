/** Whether what an executor claims meets what a request asks (decisions 46 and 47). */
import { isMap, type Json } from "../json.ts";
import { type Capability, normalizeCapabilityId } from "../wire/schema.ts";

/** A capability taken apart; `metadata` is undefined where none was given. */
export interface CapabilityClaim {
  id: string;
  metadata?: Json;
}

export function readCapabilityClaim(capability: Capability): CapabilityClaim {
  if (typeof capability === "string") return { id: normalizeCapabilityId(capability) };
  const [id = "", metadata] = Object.entries(capability)[0] ?? [];
  return { id: normalizeCapabilityId(id), ...(metadata === undefined ? {} : { metadata }) };
}

/** `home-kitchen-access` of the area `home/kitchen`. */
export function toAccessCapability(area: string): string {
  const id = normalizeCapabilityId(area);
  return id.endsWith("-access") ? id : `${id}-access`;
}

/** Everything that the executor claims, its areas included. */
export const listClaims = (executor: {
  capabilities: readonly Capability[];
  access?: readonly string[];
}): CapabilityClaim[] => [
  ...executor.capabilities.map(readCapabilityClaim),
  ...(executor.access ?? []).map((area) => ({ id: toAccessCapability(area) })),
];

type Scalar = string | number | boolean;
const isScalar = (value: Json): value is Scalar => value !== null && typeof value !== "object";
const normalizeValue = (value: Scalar): string => normalizeCapabilityId(String(value));

/** The comparable values of a scalar or of a list of scalars; undefined for anything else. */
function listValues(value: Json): string[] | undefined {
  if (isScalar(value)) return [normalizeValue(value)];
  return Array.isArray(value) && value.every(isScalar) ? value.map(normalizeValue) : undefined;
}

/** Undefined where the two agree or cannot be compared, else what was asked and what is offered. */
function describeDifference(required: Json, offered: Json): string | undefined {
  const requiredValues = listValues(required);
  const given = listValues(offered);
  if (!requiredValues || !given || requiredValues.some((value) => given.includes(value)))
    return undefined;
  return `asks ${requiredValues.join(" or ") || "nothing"}, has ${given.join(" or ") || "nothing"}`;
}

function describeMismatch(required: CapabilityClaim, offered: CapabilityClaim): string | undefined {
  const [requiredMetadata, offeredMetadata] = [required.metadata, offered.metadata];
  if (requiredMetadata === undefined || offeredMetadata === undefined) return undefined;
  if (!isMap(requiredMetadata) || !isMap(offeredMetadata))
    return describeDifference(requiredMetadata, offeredMetadata);
  for (const [key, value] of Object.entries(requiredMetadata)) {
    if (!Object.hasOwn(offeredMetadata, key)) continue;
    const mismatch = describeDifference(value, offeredMetadata[key]!);
    if (mismatch) return `${key} ${mismatch}`;
  }
  return undefined;
}

/** Why the claims do not meet the requirement, or undefined where they do. */
export function getUnmetReason(
  required: CapabilityClaim,
  claims: readonly CapabilityClaim[],
): string | undefined {
  const same = claims.filter(({ id }) => id === required.id);
  if (same.length === 0) return `lacks ${required.id}`;
  const mismatches = same.map((claim) => describeMismatch(required, claim));
  return mismatches.includes(undefined) ? undefined : `${required.id}: ${mismatches[0]}`;
}
