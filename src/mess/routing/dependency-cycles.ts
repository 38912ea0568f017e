/** Finds cycles in the dependencies between requests (decision 42). */

/** Returns the nodes of one cycle in order, or undefined. `edges` maps each node to its dependencies. */
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
