import { type ResolvedPath, resolvePath } from '../paths.ts';
import type { ScimResource } from '../schemas.ts';
import { quoted, refused } from '../scim-error.ts';
import { type Comparison, operandOf } from './compare.ts';
import type { CompareOperator, ScimFilter } from './parse.ts';

/** A list whose elements a filter may address. */
export type FilterList = 'emails' | 'members';

/** A column that a filter may address: of the resource, or of an element of a list. */
export type FilterField = {
  readonly name:
    | 'id'
    | 'externalId'
    | 'userName'
    | 'displayName'
    | 'active'
    | 'created'
    | 'lastModified'
    | 'value'
    | 'type'
    | 'primary';
  readonly comparison: Comparison;
};

/** A filter over columns, which a store renders as SQL. `ne` is the opposite of `eq`: true without a value. */
export type ScimCondition =
  | { readonly kind: 'and'; readonly conditions: readonly ScimCondition[] }
  | { readonly kind: 'or'; readonly conditions: readonly ScimCondition[] }
  | { readonly kind: 'not'; readonly condition: ScimCondition }
  | {
      readonly kind: 'compare';
      readonly field: FilterField;
      readonly op: Exclude<CompareOperator, 'ne'>;
      /** Text, a boolean, or milliseconds. */
      readonly value: string | boolean | number;
    }
  | { readonly kind: 'present'; readonly field: FilterField }
  /** One element of the list matches. */
  | { readonly kind: 'some'; readonly list: FilterList; readonly condition: ScimCondition };

type Column = FilterField & { readonly list: FilterList | null };

const column = (name: FilterField['name'], comparison: Comparison, list: FilterList | null = null): Column => ({
  name,
  comparison,
  list,
});

const COMMON_COLUMNS: ReadonlyMap<string, Column> = new Map([
  ['id', column('id', 'exact')],
  ['externalId', column('externalId', 'exact')],
  ['displayName', column('displayName', 'folded')],
  ['meta.created', column('created', 'time')],
  ['meta.lastModified', column('lastModified', 'time')],
]);

/** Columns that filters may address, by attribute. Source: authentication design, Filters. */
const COLUMNS: Readonly<Record<ScimResource['name'], ReadonlyMap<string, Column>>> = {
  User: new Map([
    ...COMMON_COLUMNS,
    ['userName', column('userName', 'folded')],
    ['active', column('active', 'boolean')],
    ['emails', column('value', 'folded', 'emails')],
    ['emails.value', column('value', 'folded', 'emails')],
    ['emails.type', column('type', 'folded', 'emails')],
    ['emails.primary', column('primary', 'boolean', 'emails')],
  ]),
  Group: new Map([
    ...COMMON_COLUMNS,
    ['members', column('value', 'exact', 'members')],
    ['members.value', column('value', 'exact', 'members')],
  ]),
};

const nameOf = (path: ResolvedPath): string | null => {
  if (path === null || 'wholeExtension' in path || path.extension !== null) return null;
  return path.sub === null ? path.attribute.name : `${path.attribute.name}.${path.sub.name}`;
};

/**
 * Resolves the names of a filter to columns.
 *
 * @throws ScimError invalidFilter for an attribute that filters may not address, or a value of another type
 */
export const conditionOf = (resource: ScimResource, filter: ScimFilter): ScimCondition => {
  const columnNamed = (text: string): Column => {
    const found = COLUMNS[resource.name].get(nameOf(resolvePath(resource, text)) ?? '');
    if (found === undefined) throw refused('invalidFilter', `Filters by ${quoted(text)} are not supported`);
    return found;
  };
  const convert = (part: ScimFilter, element: string | null): ScimCondition => {
    if (part.kind === 'and' || part.kind === 'or') {
      return { kind: part.kind, conditions: part.filters.map((each) => convert(each, element)) };
    }
    if (part.kind === 'not') return { kind: 'not', condition: convert(part.filter, element) };
    if (part.kind === 'element') {
      const { list } = columnNamed(part.path);
      if (list === null || (part.path.includes('.') && !part.path.toLowerCase().startsWith('urn:'))) {
        throw refused('invalidFilter', `${quoted(part.path)} is not a list`);
      }
      return { kind: 'some', list, condition: convert(part.filter, part.path) };
    }
    const path = element === null ? part.path : `${element}.${part.path}`;
    const { list, ...field } = columnNamed(path);
    const inList = (condition: ScimCondition): ScimCondition =>
      element === null && list !== null ? { kind: 'some', list, condition } : condition;
    const not = (condition: ScimCondition): ScimCondition => ({ kind: 'not', condition });
    const present = inList({ kind: 'present', field });
    if (part.kind === 'present') return present;
    if (part.value === null && (part.op === 'eq' || part.op === 'ne')) {
      return part.op === 'eq' ? not(present) : present;
    }
    const value = operandOf(path, field.comparison, part.op, part.value);
    if (part.op === 'ne') return not(inList({ kind: 'compare', field, op: 'eq', value }));
    return inList({ kind: 'compare', field, op: part.op, value });
  };
  return convert(filter, null);
};
