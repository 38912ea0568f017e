/** Compares the capabilities of an executor with the requirements of a request (decisions 46 and 47). */
import { defined } from "../defined.ts";
import { isMap, type Json } from "../json.ts";
import { type Capability, normalizeCapabilityId } from "../wire/schema.ts";

/** A parsed capability; `metadata` is undefined where none was given. */
export interface CapabilityClaim {
  id: string;
  metadata?: Json;
}

export function readCapabilityClaim(capability: Capability): CapabilityClaim {
  if (typeof capability === "string") return { id: normalizeCapabilityId(capability) };
  const [id = "", metadata] = Object.entries(capability)[0] ?? [];
  return { id: normalizeCapabilityId(id), ...defined({ metadata }) };
}

/** Converts an area such as `home/kitchen` to its capability `home-kitchen-access`. */
export function toAccessCapability(area: string): string {
  const id = normalizeCapabilityId(area);
  return id.endsWith("-access") ? id : `${id}-access`;
}

/** Lists all capabilities of the executor, including those of its areas. */
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

/** Returns the comparable values of a scalar or of a list of scalars; undefined for anything else. */
function listValues(value: Json): string[] | undefined {
  if (isScalar(value)) return [normalizeValue(value)];
  return Array.isArray(value) && value.every(isScalar) ? value.map(normalizeValue) : undefined;
}

/** Describes the difference; undefined where the values agree or cannot be compared. */
function describeDifference(required: Json, offered: Json): string | undefined {
  const requiredValues = listValues(required);
  const given = listValues(offered);
  if (!requiredValues || !given || requiredValues.some((value) => given.includes(value)))
    return undefined;
  return `requires ${requiredValues.join(" or ") || "nothing"}, has ${given.join(" or ") || "nothing"}`;
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

/** Returns why the claims do not meet the requirement; undefined where they do. */
export function getUnmetReason(
  required: CapabilityClaim,
  claims: readonly CapabilityClaim[],
): string | undefined {
  const same = claims.filter(({ id }) => id === required.id);
  if (same.length === 0) return `lacks ${required.id}`;
  const mismatches = same.map((claim) => describeMismatch(required, claim));
  return mismatches.includes(undefined) ? undefined : `${required.id}: ${mismatches[0]}`;
}
