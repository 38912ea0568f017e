/** Parameters that the routes of AI groups share. */
import * as z from "zod";
import type { MembershipIds } from "../../../../exchange/group-calls/with-group.ts";
import type { Outcome } from "../../../../mess/errors.ts";
import { groupIdFieldSchema } from "../../../../mess/groups/fields.ts";
import { parseWithSchema, readObject } from "../../request-body.ts";
import type { HttpCall } from "../../route.ts";

/** The caller's id in the group; not needed where its key has one membership of the group. */
export const memberQuerySchema = z.strictObject({ as: groupIdFieldSchema.exactOptional() });

export const readIds = ({ param }: Pick<HttpCall, "param">, as?: string): MembershipIds => ({
  group_id: param("group"),
  my_id: as,
});

/** Reads a body of which every field may be left out, so that there may be none. */
export const readOptionalObject = async <T>(
  request: Request,
  schema: z.ZodType<T>,
): Promise<Outcome<T>> =>
  request.body === null || request.headers.get("Content-Length") === "0"
    ? parseWithSchema(schema, {}, "bad_field")
    : await readObject(request, schema);
