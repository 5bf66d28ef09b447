import { longArrayIn } from '../../../foundation/array-items.ts';
import { stableJson } from '../../../foundation/hash.ts';
import { MAX_JSON_DEPTH } from '../../../foundation/json.ts';
import { isJsonValue } from '../../../foundation/json-value.ts';
import { compileTemplate } from '../../../messaging/templates/compile.ts';
import { RenderError, type RenderScopes, render, valueAt } from '../../../messaging/templates/render.ts';
import { mergeTraits, type TraitBounds } from '../../../people/profiles/merge.ts';

export type Traits = Readonly<Record<string, unknown>>;

/** What to do with traits, verb by verb. Every string in a value is a template. */
export type TraitVerbs = {
  readonly unset?: readonly string[] | undefined;
  readonly set?: Traits | undefined;
  readonly setOnce?: Traits | undefined;
  readonly increment?: Traits | undefined;
  readonly append?: Traits | undefined;
  readonly remove?: Traits | undefined;
};

export type ProfileUpdate =
  | {
      readonly outcome: 'ok';
      readonly traits: Traits;
      /** Names of the traits that differ now, those that are gone included. */
      readonly changed: readonly string[];
      /** Something no longer fitted and is as it was. */
      readonly isTruncated: boolean;
    }
  | {
      readonly outcome: 'error';
      readonly reason: 'not_a_number' | 'not_an_array' | 'too_deep' | 'too_large';
      /** The trait concerned; null for a text that could not be rendered. */
      readonly trait: string | null;
    };

type Reason = Extract<ProfileUpdate, { outcome: 'error' }>['reason'];

/** Ends an update from within its verbs; never leaves this file. */
class Refused extends Error {
  readonly reason: Reason;
  readonly trait: string;
  constructor(reason: Reason, trait: string) {
    super(reason);
    this.reason = reason;
    this.trait = trait;
  }
}

/**
 * What a template in a trait's value gives: the value itself, with its JSON type, where the text is exactly one
 * placeholder (undefined when it does not resolve), else the rendered text, unescaped.
 * The function throws RenderError when that is too large.
 */
export const templateValue =
  (scopes: RenderScopes): ((text: string) => unknown) =>
  (text) => {
    const template = compileTemplate(text);
    const [only, ...more] = template.placeholders;
    if (only && more.length === 0 && template.literals.every((literal) => literal === '')) return valueAt(only, scopes);
    return render(template, scopes, { escapeHtml: false });
  };

const JSON_NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;
const numberOf = (value: unknown): number => {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && JSON_NUMBER.test(value) ? Number(value) : Number.NaN;
};
const isMissing = (value: unknown): boolean => value === undefined || value === null;
const elementsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** Traits as the verbs so far leave them. Holds what they name and nothing else: a profile may have a thousand traits. */
type TraitEdits = { readonly named: Map<string, unknown>; readonly traits: Traits };

const ownOf = (traits: Traits, key: string): unknown => (Object.hasOwn(traits, key) ? traits[key] : undefined);
const currentOf = ({ named, traits }: TraitEdits, key: string): unknown =>
  named.has(key) ? named.get(key) : ownOf(traits, key);

const eachOf = (
  values: Traits | undefined,
  resolve: (value: unknown) => unknown,
  take: (key: string, value: unknown) => void,
): void => {
  if (values === undefined) return;
  for (const key of Object.keys(values)) {
    const value = resolve(values[key]);
    // What does not resolve says nothing about the trait.
    if (value !== undefined && key !== '__proto__') take(key, value);
  }
};

const arrayAt = (edits: TraitEdits, key: string): readonly unknown[] => {
  const value = currentOf(edits, key);
  if (isMissing(value)) return [];
  if (!Array.isArray(value)) throw new Refused('not_an_array', key);
  return value;
};

const increase = (edits: TraitEdits, key: string, by: unknown): void => {
  const current = currentOf(edits, key);
  const sum = (isMissing(current) ? 0 : typeof current === 'number' ? current : Number.NaN) + numberOf(by);
  if (!Number.isFinite(sum)) throw new Refused('not_a_number', key);
  edits.named.set(key, sum);
};

const editsOf = (traits: Traits, config: TraitVerbs, resolve: (value: unknown) => unknown): TraitEdits => {
  const edits: TraitEdits = { named: new Map(), traits };
  const { named } = edits;
  for (const key of config.unset ?? []) named.set(key, undefined);
  eachOf(config.set, resolve, (key, value) => named.set(key, value));
  eachOf(config.setOnce, resolve, (key, value) => {
    if (isMissing(currentOf(edits, key))) named.set(key, value);
  });
  eachOf(config.increment, resolve, (key, by) => increase(edits, key, by));
  eachOf(config.append, resolve, (key, value) => named.set(key, [...arrayAt(edits, key), ...elementsOf(value)]));
  eachOf(config.remove, resolve, (key, value) => {
    const removed = new Set(elementsOf(value).map(stableJson));
    const array = arrayAt(edits, key);
    if (array.length > 0)
      named.set(
        key,
        array.filter((item) => !removed.has(stableJson(item))),
      );
  });
  return edits;
};

/** What edits change, as a patch: null for what is gone; existing traits in their order, then new ones. Null: nothing. */
const patchOf = ({ named, traits }: TraitEdits): Traits | null => {
  const isChange = (key: string): boolean => {
    const [own, value] = [ownOf(traits, key), named.get(key)];
    return isMissing(value) ? !isMissing(own) : value !== own;
  };
  const names = [...named.keys()].filter(isChange);
  if (names.length === 0) return null;
  const isNew = (key: string): boolean => !Object.hasOwn(traits, key);
  const known = names.every(isNew) ? [] : Object.keys(traits).filter((key) => named.has(key) && isChange(key));
  const patch = [...known, ...names.filter(isNew)].map((key): [string, unknown] => [key, named.get(key) ?? null]);
  // Traits are themselves the first level.
  const deep = patch.find(([, value]) => !isJsonValue(value, MAX_JSON_DEPTH - 1));
  if (deep) throw new Refused('too_deep', deep[0]);
  const long = patch.find(([, value]) => longArrayIn(value) !== null);
  if (long) throw new Refused('too_large', long[0]);
  // Not an assignment per key: that would let a trait named __proto__ set a prototype.
  return Object.fromEntries(patch);
};

/**
 * What an `update_profile` step makes of somebody's traits: unset, set, setOnce, increment, append, remove, in that
 * order, all of it or, after an error, nothing.
 *
 * Every string in a value goes through `fill`; a value that is exactly one placeholder without a value leaves its
 * trait alone, null removes it. `setOnce` and `increment` (from 0) take a missing or null trait as absent. `append`
 * and `remove` take an array as its elements; elements are equal when their JSON is.
 *
 * @param traits never changed; may be shared with the result in part
 * @param bounds of the profile; how they hold is said in profiles/merge.ts
 * @returns an error for a step that cannot be done with these values; throws nothing of its own
 * Source: contract, Workflows.
 */
export const applyUpdate = (
  traits: Traits,
  config: TraitVerbs,
  fill: (text: string) => unknown,
  bounds?: TraitBounds,
): ProfileUpdate => {
  const resolve = (value: unknown): unknown => {
    if (typeof value === 'string') return value.includes('{{') ? fill(value) : value;
    if (Array.isArray(value)) return value.map((item) => resolve(item) ?? null);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item) ?? null]));
  };
  try {
    const patch = patchOf(editsOf(traits, config, resolve));
    if (patch === null) return { outcome: 'ok', traits, changed: [], isTruncated: false };
    return { outcome: 'ok', ...mergeTraits(traits, patch, bounds) };
  } catch (error) {
    if (error instanceof Refused) return { outcome: 'error', reason: error.reason, trait: error.trait };
    if (error instanceof RenderError) return { outcome: 'error', reason: error.reason, trait: null };
    throw error;
  }
};
