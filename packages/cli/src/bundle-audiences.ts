// Audiences belong to a project: a bundle from another one names others.

import { InvalidArgumentError } from 'commander';
import { isObject } from './is-object.ts';

/** Names of the members of a bundle that hold the id of an audience: triggers and sends, and conditions. */
const MEMBERS = new Set(['audienceId', 'audience']);
/** Levels of a bundle. Source: semantics, JSON depth. */
const MAX_DEPTH = 32;

/** Collects `OLD=NEW`; ids are the same in capitals and small letters. Throws what commander shows as a wrong use. */
export const audiencePair = (
  text: string,
  before: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> => {
  const [old = '', next = '', ...more] = text.split('=');
  if (old === '' || next === '' || more.length > 0) throw new InvalidArgumentError('It looks like OLD=NEW, two ids.');
  return new Map(before).set(old.toLowerCase(), next);
};

/** A bundle in which audiences are named by their new ids, wherever one is named. Throws nothing. */
export const mapAudiences = (value: unknown, ids: ReadonlyMap<string, string>, depth = 0): unknown => {
  // Deeper is no bundle, and the import says so.
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
