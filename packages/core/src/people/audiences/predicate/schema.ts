import { z } from 'zod';
import { isObject } from '../../../foundation/json.ts';
import { jsonKeywords } from '../../../foundation/json-keywords.ts';
import { readLeaf } from './read-leaf.ts';
import { type Reading, reading } from './reading.ts';
import type { Condition, Predicate } from './types.ts';

/** Levels of a predicate, a leaf by itself being one, and its nodes, each `where` entry among them. Source: semantics, Predicates. */
export const MAX_DEPTH = 8;
export const MAX_NODES = 100;

type Path = readonly (string | number)[];

const GROUPS = ['all', 'any', 'not'] as const;

const readGroup = (from: Reading, name: 'all' | 'any', input: unknown, path: Path, depth: number): Condition | null => {
  const at = [...path, name];
  if (!Array.isArray(input)) return from.refuse(at, 'must be a list');
  if (input.length === 0) return from.refuse(at, 'must not be empty');
  // One more than may be, so that the first which is too many is refused and no more are looked at.
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
    // An array at the top stands for `all`, and has no member of that name where its nodes are told.
    const shown = (path: Path): Path => (Array.isArray(input) && path[0] === 'all' ? path.slice(1) : path);
    for (const { path, message } of issues) context.addIssue({ code: 'custom', path: [...shown(path)], message });
    // Safe: a node that is not null was read whole, without paths where they are refused.
    return node === null ? z.NEVER : (node as Node);
  });
  // Safe: anything may come in and is checked; the type names what is accepted.
  return read as unknown as z.ZodType<Node, Node | readonly Node[]>;
};

/**
 * Whom an audience holds. What comes out is the form that is stored: keys in one order, an array at the top as `all`,
 * what is left out left out; read again it is the same. Issues name the place (`all.0.value`).
 */
export const predicateSchema = tree<Predicate>(false).register(jsonKeywords, { $ref: 'PredicateInput' });

/** As `predicateSchema`, with leaves over `path`: what a step's `when` holds. */
export const conditionSchema = tree<Condition>(true).register(jsonKeywords, { $ref: 'ConditionInput' });
