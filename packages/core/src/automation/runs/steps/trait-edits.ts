import { longArrayIn } from '../../../foundation/array-items.ts';
import { stableJson } from '../../../foundation/hash.ts';
import { MAX_JSON_DEPTH } from '../../../foundation/json.ts';
import { isJsonValue } from '../../../foundation/json-value.ts';
import { compileTemplate } from '../../../messaging/templates/compile.ts';
import { RenderError, type RenderScopes, render, valueAt } from '../../../messaging/templates/render.ts';
import { mergeTraits, type TraitBounds } from '../../../people/profiles/merge.ts';

export type Traits = Readonly<Record<string, unknown>>;

/** Changes of traits by verb. Every string in a value is a template. */
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
      /** Names of changed and removed traits. */
      readonly changed: readonly string[];
      /** A value did not fit and its trait is unchanged. */
      readonly isTruncated: boolean;
    }
  | {
      readonly outcome: 'error';
      readonly reason: 'not_a_number' | 'not_an_array' | 'too_deep' | 'too_large';
      /** The trait; null for a text that could not be rendered. */
      readonly trait: string | null;
    };

type Reason = Extract<ProfileUpdate, { outcome: 'error' }>['reason'];

/** Aborts an update; caught in this file. */
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
 * Value of a template in a trait: the JSON value if the text is exactly one placeholder (undefined if it does not
 * resolve), else the rendered text, unescaped. The returned function throws RenderError if the text is too large.
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

/** Traits after the verbs so far. Contains only named traits: a profile may have a thousand. */
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
    // A value that does not resolve leaves the trait unchanged.
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

/**
 * Edits as a patch: null for removed traits; existing traits in their order, then new ones. Returns null if nothing
 * changes.
 */
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
  // Object.fromEntries, because assigning a trait named __proto__ would set the prototype.
  return Object.fromEntries(patch);
};

/**
 * Applies an `update_profile` step to traits: unset, set, setOnce, increment, append, remove, in this order. After an
 * error nothing is changed.
 *
 * Every string in a value goes through `fill`. A value that is exactly one unresolved placeholder leaves its trait
 * unchanged; null removes it. `setOnce` and `increment` (from 0) treat null as missing. `append` and `remove` treat an
 * array as its elements, which are equal if their JSON is.
 *
 * @param traits not modified; the result may share parts of it
 * @param bounds of the profile; see profiles/merge.ts
 * @returns an error if these values do not allow the step; throws no errors of its own
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
