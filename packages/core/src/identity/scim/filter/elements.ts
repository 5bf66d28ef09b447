import type { ScimObject, ScimValue } from '../documents.ts';
import { attributeNamed, type ScimAttribute } from '../schemas.ts';
import { quoted, refused } from '../scim-error.ts';
import { foldText, operandOf } from './compare.ts';
import type { ScimFilter } from './parse.ts';

const subAttribute = (attribute: ScimAttribute, name: string): ScimAttribute => {
  const sub = attributeNamed(attribute.subAttributes ?? [], name);
  if (sub === null) throw refused('invalidPath', `${attribute.name} has no ${quoted(name)}`);
  return sub;
};

const comparedText = (sub: ScimAttribute, value: ScimValue | undefined): string | null => {
  if (typeof value !== 'string') return null;
  return sub.caseExact ? value : foldText(value);
};

/**
 * Compiles the filter in brackets of a PATCH path to a test of one element.
 *
 * @throws ScimError invalidPath for a name that elements do not have, invalidFilter for a value of another type
 */
export const elementTest = (attribute: ScimAttribute, filter: ScimFilter): ((element: ScimObject) => boolean) => {
  if (filter.kind === 'and' || filter.kind === 'or') {
    const tests = filter.filters.map((each) => elementTest(attribute, each));
    return filter.kind === 'and'
      ? (element) => tests.every((test) => test(element))
      : (element) => tests.some((test) => test(element));
  }
  if (filter.kind === 'not') {
    const test = elementTest(attribute, filter.filter);
    return (element) => !test(element);
  }
  if (filter.kind === 'element') throw refused('invalidFilter', 'A filter in brackets has no brackets');
  const sub = subAttribute(attribute, filter.path);
  if (filter.kind === 'present') return (element) => element[sub.name] !== undefined;
  const { op } = filter;
  if (filter.value === null && (op === 'eq' || op === 'ne')) {
    return (element) => (element[sub.name] === undefined) === (op === 'eq');
  }
  const comparison = sub.type === 'boolean' ? 'boolean' : sub.caseExact ? 'exact' : 'folded';
  const operand = operandOf(filter.path, comparison, op, filter.value);
  if (typeof operand === 'boolean') return (element) => (element[sub.name] === operand) === (op === 'eq');
  const text = String(operand);
  return (element) => {
    const value = comparedText(sub, element[sub.name]);
    if (value === null) return op === 'ne';
    switch (op) {
      case 'eq':
        return value === text;
      case 'ne':
        return value !== text;
      case 'co':
        return value.includes(text);
      case 'sw':
        return value.startsWith(text);
      case 'ew':
        return value.endsWith(text);
      case 'gt':
        return value > text;
      case 'ge':
        return value >= text;
      case 'lt':
        return value < text;
      default:
        return value <= text;
    }
  };
};

/** Values that a filter of equalities prescribes for a new element; null if it has any other term. */
export const prescribedValues = (
  attribute: ScimAttribute,
  filter: ScimFilter,
): readonly { readonly sub: ScimAttribute; readonly value: string | boolean }[] | null => {
  if (filter.kind === 'and') {
    const parts = filter.filters.map((each) => prescribedValues(attribute, each));
    return parts.some((part) => part === null) ? null : parts.flatMap((part) => part ?? []);
  }
  if (filter.kind !== 'compare' || filter.op !== 'eq') return null;
  const sub = subAttribute(attribute, filter.path);
  if (sub.mutability === 'readOnly') return null;
  if (sub.type !== 'boolean') return typeof filter.value === 'string' ? [{ sub, value: filter.value }] : null;
  return [{ sub, value: operandOf(filter.path, 'boolean', 'eq', filter.value) === true }];
};
