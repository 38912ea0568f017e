/** The graph of what waits for what (decision 42). */

/** The members of one cycle, in order, or undefined. `edges` leads from each node to what it depends on. */
export function findCycle(edges: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const path: string[] = [];

  const visit = (node: string): string[] | undefined => {
    if (done.has(node)) return undefined;
    const start = path.indexOf(node);
    if (start >= 0) return path.slice(start);
    path.push(node);
    for (const next of edges.get(node) ?? []) {
      const found = visit(next);
      if (found) return found;
    }
    path.pop();
    done.add(node);
    return undefined;
  };

  for (const node of edges.keys()) {
    const found = visit(node);
    if (found) return found;
  }
  return undefined;
}
