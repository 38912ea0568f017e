/** A text in the result of a tool. The exchange writes it, so no length is checked and none costs the model tokens. */
import * as z from "zod";

export const outputTextSchema = z.string();
