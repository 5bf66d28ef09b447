import { z } from 'zod';
import { isObject } from '../../../foundation/json.ts';
import { jsonKeywords } from '../../../foundation/json-keywords.ts';
import { readLeaf } from './read-leaf.ts';
import { type Reading, reading } from './reading.ts';
import type { Condition, Predicate } from './types.ts';

/**
 * Maximum levels of a predicate (a single leaf is one), and maximum nodes, including `where` entries. Source:
 * semantics, Predicates.
 */
export const MAX_DEPTH = 8;
export const MAX_NODES = 100;

type Path = readonly (string | number)[];

const GROUPS = ['all', 'any', 'not'] as const;

const readGroup = (from: Reading, name: 'all' | 'any', input: unknown, path: Path, depth: number): Condition | null => {
  const at = [...path, name];
  if (!Array.isArray(input)) return from.refuse(at, 'must be a list');
  if (input.length === 0) return from.refuse(at, 'must not be empty');
  // One more than allowed, so that the first surplus node is rejected and the others are not read.
  const nodes = input.slice(0, MAX_NODES + 1).map((one, index) => readNode(from, one, [...at, index], depth + 1));
  const read = nodes.filter((node) => node !== null);
  if (read.length !== nodes.length) return null;
  return name === 'all' ? { all: read } : { any: read };
};

const readNode = (from: Reading, input: unknown, path: Path, depth: number): Condition | null => {
  if (from.isOver()) return null;
  if (depth > MAX_DEPTH) return from.refuse(path, `is nested deeper than ${MAX_DEPTH} levels`);
  from.count(path);
  if (!isObject(input)) return from.refuse(path, 'must be a leaf, or { all }, { any } or { not }');
  const name = GROUPS.find((group) => Object.hasOwn(input, group));
  if (name === undefined) return readLeaf(from, input, path);
  from.onlyKeys(input, [name], path);
  if (name !== 'not') return readGroup(from, name, input[name], path, depth);
  const not = readNode(from, input['not'], [...path, 'not'], depth + 1);
  return not === null ? null : { not };
};

const readTree = (input: unknown, hasPaths: boolean) => {
  const from = reading({ hasPaths, maxNodes: MAX_NODES });
  const root = Array.isArray(input) ? { all: input } : input;
  const node = readNode(from, root, [], 1);
  return { node, issues: from.issues() };
};

const tree = <Node extends Condition>(hasPaths: boolean) => {
  const read = z.unknown().transform((input, context): Node => {
    const { node, issues } = readTree(input, hasPaths);
    // A top-level array means `all`, but its paths have no member of that name.
    const shown = (path: Path): Path => (Array.isArray(input) && path[0] === 'all' ? path.slice(1) : path);
    for (const { path, message } of issues) context.addIssue({ code: 'custom', path: [...shown(path)], message });
    // Safe: a non-null node was read completely, without paths if they are not allowed.
    return node === null ? z.NEVER : (node as Node);
  });
  // Safe: any input is checked; the type describes accepted input.
  return read as unknown as z.ZodType<Node, Node | readonly Node[]>;
};

/**
 * Predicate of an audience. The output is the stored form: fixed key order, a top-level array as `all`, defaults
 * omitted; parsing it again changes nothing. Issues name the path (`all.0.value`).
 */
export const predicateSchema = tree<Predicate>(false).register(jsonKeywords, { $ref: 'PredicateInput' });

/** As `predicateSchema`, plus leaves with `path`: the `when` of a step. */
export const conditionSchema = tree<Condition>(true).register(jsonKeywords, { $ref: 'ConditionInput' });
