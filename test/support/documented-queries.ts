/** The SQL of docs/files.md, in a real DuckDB. */
import { readFileSync } from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";

/** The statements without comments; the globs are those of `folder`. */
const readQueries = (folder: string): string[] =>
  [...readFileSync("docs/files.md", "utf8").matchAll(/```sql\n([^`]*)```/g)]
    .flatMap(([, block = ""]) => block.replaceAll(/^--.*$/gm, "").split(";"))
    .map((query) => query.trim().replace("'state=*/", `'${folder}/state=*/`))
    .filter((query) => query !== "");

/** Runs the statements on a folder of threads; returns the rows of each query. */
export async function runDocumentedQueries(folder: string): Promise<unknown[][]> {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const answers: unknown[][] = [];
  for (const query of readQueries(folder)) {
    const rows = (await connection.runAndReadAll(query)).getRowObjectsJson();
    if (query.startsWith("SELECT")) answers.push(rows);
  }
  connection.closeSync();
  return answers;
}
