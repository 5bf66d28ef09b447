// Imports between files, and import cycles.
import { dirname, join } from 'node:path/posix';

/** Files by path relative to the root of the repository, with forward slashes; values are their text. */
export type Sources = ReadonlyMap<string, string>;
/** One import as written, and its target: a path of the repository, or the name of a package. */
export type Import = { readonly from: string; readonly to: string };
/** The targets of each place. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

const SPECIFIER = /^\s*(?:import|export)\s(?:[^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

/** The imports of one file, including type imports and dynamic ones. */
export const importsOf = (path: string, text: string): Import[] =>
  [...text.matchAll(SPECIFIER)].map((match) => {
    const name = match[1] ?? match[2] ?? '';
    return { from: path, to: name.startsWith('.') ? join(dirname(path), name) : name };
  });

/**
 * The graph of places, such as modules, from imports of files. Leaves out imports within a place, and places without a
 * name.
 */
export const graphOf = (imports: readonly Import[], placeOf: (path: string) => string): Graph => {
  const graph = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const [a, b] = [placeOf(from), placeOf(to)];
    if (a === '' || b === '' || a === b) continue;
    const others = graph.get(a) ?? new Set();
    graph.set(a, others.add(b));
  }
  return graph;
};

/**
 * The import cycles: sets of places that all reach each other, largest first.
 * Source: Tarjan, "Depth-first search and linear graph algorithms", 1972.
 */
export const cyclesOf = (graph: Graph): string[][] => {
  const order = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const found: string[][] = [];
  const visit = (node: string): number => {
    const index = order.size;
    order.set(node, index);
    stack.push(node);
    onStack.add(node);
    let low = index;
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (onStack.has(next)) low = Math.min(low, order.get(next) ?? low);
    }
    if (low === index) {
      const component = stack.splice(stack.indexOf(node));
      for (const one of component) onStack.delete(one);
      if (component.length > 1) found.push(component.toSorted());
    }
    return low;
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return found.toSorted((a, b) => b.length - a.length);
};
