// Segments belong to a project, so a bundle of another project has other audience ids.

import { InvalidArgumentError } from 'commander';
import { isObject } from './is-object.ts';

/** Properties of a bundle that hold an audience id: in triggers and sends, and in conditions. */
const MEMBERS = new Set(['audienceId', 'audience']);
/** Maximum nesting of a bundle. Source: semantics, JSON depth. */
const MAX_DEPTH = 32;

/** Collects `OLD=NEW`; ids are case-insensitive. Throws InvalidArgumentError. */
export const audiencePair = (
  text: string,
  before: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> => {
  const [old = '', next = '', ...more] = text.split('=');
  if (old === '' || next === '' || more.length > 0) throw new InvalidArgumentError('Pass OLD=NEW, two audience ids.');
  return new Map(before).set(old.toLowerCase(), next);
};

/** Replaces audience ids everywhere in a bundle. Throws nothing. */
export const mapAudiences = (value: unknown, ids: ReadonlyMap<string, string>, depth = 0): unknown => {
  // The import rejects deeper nesting.
  if (ids.size === 0 || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((one) => mapAudiences(one, ids, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      MEMBERS.has(name) && typeof member === 'string'
        ? (ids.get(member.toLowerCase()) ?? member)
        : mapAudiences(member, ids, depth + 1),
    ]),
  );
};
