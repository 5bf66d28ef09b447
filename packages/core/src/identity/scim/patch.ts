import { isPlainObject } from '../../foundation/json.ts';
import {
  checkDocument,
  checkedValue,
  cloneObject,
  cloneValue,
  elementsOf,
  getAttribute,
  isScimObject,
  newObject,
  type ScimObject,
  type ScimValue,
  setAttribute,
} from './documents.ts';
import { elementTest, prescribedValues } from './filter/elements.ts';
import { parsePath, type ScimFilter } from './filter/parse.ts';
import { resolvePath, type ScimPath } from './paths.ts';
import { attributeNamed, type ScimAttribute, type ScimResource } from './schemas.ts';
import { quoted, refused, ScimError } from './scim-error.ts';

export type PatchOperation = {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string | null;
  readonly value: unknown;
};

/** Operations of one request. Source: authentication design, PATCH. */
export const MAX_OPERATIONS = 1_000;

const member = (object: Readonly<Record<string, unknown>>, name: string): unknown => {
  const key = Object.keys(object).find((each) => each.toLowerCase() === name);
  return key === undefined ? undefined : object[key];
};

/**
 * Reads the body of a PATCH. Names and operations may be in any case: Entra ID sends `Add`, `Replace` and `Remove`.
 *
 * @throws ScimError invalidSyntax, or tooMany for more than 1,000 operations
 */
export const readOperations = (body: unknown): readonly PatchOperation[] => {
  const operations = isPlainObject(body) ? member(body, 'operations') : undefined;
  if (!Array.isArray(operations) || operations.length === 0) {
    throw refused('invalidSyntax', 'The body has no list of Operations');
  }
  if (operations.length > MAX_OPERATIONS) {
    throw refused('tooMany', `A request has at most ${MAX_OPERATIONS} operations`);
  }
  return operations.map((each: unknown): PatchOperation => {
    if (!isPlainObject(each)) throw refused('invalidSyntax', 'An operation is not a JSON object');
    const name = member(each, 'op');
    const op = typeof name === 'string' ? name.toLowerCase() : '';
    if (op !== 'add' && op !== 'replace' && op !== 'remove') {
      throw refused('invalidSyntax', 'The op of an operation is not add, replace or remove');
    }
    const path = member(each, 'path') ?? null;
    if (path !== null && typeof path !== 'string') throw refused('invalidPath', 'The path is not a text');
    return { op, path: path === '' ? null : path, value: member(each, 'value') };
  });
};

type Target = ScimPath & { readonly filter: ScimFilter | null };

/** The part of a document that an operation changes. */
type Change = { readonly op: PatchOperation['op']; readonly value: unknown; readonly target: Target };

const isEqualValue = (left: ScimValue | undefined, right: ScimValue | undefined): boolean => {
  if (left === right) return true;
  if (!isScimObject(left) || !isScimObject(right)) return false;
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => left[name] === right[name]);
};

/** Members of a group are the same if they have the same id; elements of other lists if all members are equal. */
const isSameElement = (attribute: ScimAttribute, left: ScimObject, right: ScimObject): boolean =>
  left.value === right.value && (attribute.name === 'members' || isEqualValue(left, right));

const withoutRepeats = (attribute: ScimAttribute, elements: readonly ScimObject[]): ScimObject[] => {
  const byValue = new Map<ScimValue | undefined, ScimObject[]>();
  return elements.filter((element) => {
    const others = byValue.get(element.value);
    if (others?.some((other) => isSameElement(attribute, other, element))) return false;
    if (others === undefined) byValue.set(element.value, [element]);
    else others.push(element);
    return true;
  });
};

const removedFrom = ({ value, target: { attribute, sub, filter } }: Change, elements: ScimObject[]): ScimObject[] => {
  if (filter === null && sub === null) {
    // Entra ID names the members to remove in the value; without a value the whole list goes.
    const named = elementsOf(checkedValue(attribute, value, 'refuse'));
    if (named.length === 0) return Array.isArray(value) ? elements : [];
    const ids = new Set(named.map((each) => each.value));
    return elements.filter((element) => !ids.has(element.value));
  }
  const matches = filter === null ? () => true : elementTest(attribute, filter);
  if (sub === null) return elements.filter((element) => !matches(element));
  for (const element of elements) if (matches(element)) delete element[sub.name];
  return elements.filter((element) => Object.keys(element).length > 0);
};

/** The element that an operation addresses and the list does not have: Entra ID expects it to be created. */
const createdElement = ({ target: { attribute, filter } }: Change): ScimObject => {
  const element = newObject();
  if (filter === null) return element;
  const values = prescribedValues(attribute, filter);
  if (values === null) throw refused('noTarget', `No element of ${attribute.name} matches the path`);
  for (const { sub, value } of values) element[sub.name] = value;
  return element;
};

/** Writes to the elements that the path addresses; answers those that changed. */
const writtenTo = (change: Change, elements: ScimObject[]): readonly ScimObject[] => {
  const { attribute, sub, filter } = change.target;
  const written = filter === null ? elements.slice() : elements.filter(elementTest(attribute, filter));
  const input = checkedValue(sub ?? attribute, change.value, 'refuse');
  const [values = newObject()] = elementsOf(input);
  if (sub === null && elementsOf(input).length > 1) {
    throw refused('invalidValue', `The path addresses one element of ${attribute.name}, and the value has several`);
  }
  if (input === undefined && written.length === 0) return [];
  if (written.length === 0) {
    const element = createdElement(change);
    elements.push(element);
    written.push(element);
  }
  for (const element of written) {
    if (sub === null) Object.assign(element, cloneObject(values));
    else if (input === undefined) delete element[sub.name];
    else element[sub.name] = cloneValue(input);
  }
  return written;
};

/** A new primary value clears the earlier one. */
const clearOtherPrimaries = (elements: readonly ScimObject[], written: readonly ScimObject[]): void => {
  if (!written.some(({ primary }) => primary === true)) return;
  const kept = new Set(written);
  for (const element of elements) {
    if (element.primary === true && !kept.has(element)) element.primary = false;
  }
};

const patchedList = (change: Change, elements: ScimObject[]): ScimObject[] => {
  const { op, value, target } = change;
  if (op === 'remove') return removedFrom(change, elements);
  if (target.filter !== null || target.sub !== null) {
    const written = writtenTo(change, elements);
    clearOtherPrimaries(elements, written);
    return elements.filter((element) => Object.keys(element).length > 0);
  }
  const added = elementsOf(checkedValue(target.attribute, value, 'refuse'));
  if (op === 'replace') return withoutRepeats(target.attribute, added);
  const merged = withoutRepeats(target.attribute, [...elements, ...added]);
  const primaries = added.filter(({ primary }) => primary === true);
  clearOtherPrimaries(
    merged,
    merged.filter((element) => primaries.some((primary) => isSameElement(target.attribute, primary, element))),
  );
  return merged;
};

const patchedObject = (
  { op, value, target: { attribute, sub } }: Change,
  before: ScimValue | undefined,
): ScimObject => {
  const object = isScimObject(before) ? before : newObject();
  if (sub !== null) {
    const input = op === 'remove' ? undefined : checkedValue(sub, value, 'refuse');
    if (input === undefined) delete object[sub.name];
    else object[sub.name] = input;
    return object;
  }
  const input = op === 'remove' ? undefined : checkedValue(attribute, value, 'refuse');
  return isScimObject(input) ? Object.assign(object, input) : newObject();
};

/** True if the operation only repeats a read-only value, and so changes nothing. */
const isRepeatOfReadOnly = (document: ScimObject, { op, value, target }: Change): boolean => {
  const { attribute, sub, filter, extension } = target;
  if (attribute.mutability !== 'readOnly' && sub?.mutability !== 'readOnly') return false;
  // Okta repeats the id of a group that it renames.
  const mayRepeat = op !== 'remove' && sub === null && filter === null && typeof value === 'string';
  if (mayRepeat && getAttribute(document, extension, attribute.name) === value) return true;
  throw refused('mutability', `${sub === null ? attribute.name : `${attribute.name}.${sub.name}`} is read-only`);
};

const applyChange = (document: ScimObject, change: Change): void => {
  if (isRepeatOfReadOnly(document, change)) return;
  const { op, value, target } = change;
  const { attribute, extension, filter } = target;
  const before = getAttribute(document, extension, attribute.name);
  const set = (after: ScimValue | undefined) => setAttribute(document, extension, attribute.name, after);
  if (attribute.multiValued) {
    const after = patchedList(change, elementsOf(before));
    set(after.length === 0 ? undefined : after);
  } else if (filter !== null) {
    throw refused('invalidPath', `${attribute.name} is not a list`);
  } else if (attribute.type === 'complex') {
    const after = patchedObject(change, before);
    set(Object.keys(after).length === 0 ? undefined : after);
  } else {
    set(op === 'remove' ? undefined : checkedValue(attribute, value, 'refuse'));
  }
};

const apply = (
  resource: ScimResource,
  document: ScimObject,
  { op, path, value }: PatchOperation,
  id: string | null,
): void => {
  if (path === null) {
    if (op === 'remove') throw refused('noTarget', 'A remove needs a path');
    if (!isPlainObject(value)) throw refused('invalidValue', 'The value of an operation without path is not an object');
    for (const [name, memberValue] of Object.entries(value)) {
      if (name.toLowerCase() === 'schemas') continue;
      // Okta names the group that it renames.
      if (name.toLowerCase() === 'id' && id !== null && memberValue === id) continue;
      if (name === '') throw refused('invalidPath', 'A name is empty');
      apply(resource, document, { op, path: name, value: memberValue }, id);
    }
    return;
  }
  const parsed = parsePath(path);
  const resolved = resolvePath(resource, parsed.path);
  if (resolved === null) throw refused('invalidPath', `No attribute is named ${quoted(parsed.path)}`);
  if ('wholeExtension' in resolved) {
    if (parsed.filter !== null) throw refused('invalidPath', 'An extension is not a list');
    const extensionId = resolved.wholeExtension;
    if (op === 'remove') {
      delete document[extensionId];
      return;
    }
    if (!isPlainObject(value)) throw refused('invalidValue', 'The value of an extension is not an object');
    for (const [name, memberValue] of Object.entries(value)) {
      apply(resource, document, { op, path: `${extensionId}:${name}`, value: memberValue }, id);
    }
    return;
  }
  const { attribute, extension } = resolved;
  if (parsed.filter !== null && resolved.sub !== null) throw refused('invalidPath', `${quoted(path)} is not a path`);
  const sub = parsed.sub === null ? resolved.sub : attributeNamed(attribute.subAttributes ?? [], parsed.sub);
  if (parsed.sub !== null && sub === null) {
    throw refused('invalidPath', `${attribute.name} has no ${quoted(parsed.sub)}`);
  }
  applyChange(document, { op, value, target: { attribute, extension, sub, filter: parsed.filter } });
};

/**
 * Applies operations to a copy of a document, all or none.
 *
 * @param id of the resource: a value that repeats it changes nothing
 * @throws ScimError invalidPath, invalidValue, mutability or noTarget, with the number of the operation
 */
export const patchDocument = (
  resource: ScimResource,
  document: ScimObject,
  operations: readonly PatchOperation[],
  id: string | null = null,
): ScimObject => {
  const copy = cloneObject(document);
  for (const [index, operation] of operations.entries()) {
    try {
      apply(resource, copy, operation, id);
      checkDocument(resource, copy);
    } catch (error) {
      if (!(error instanceof ScimError)) throw error;
      throw new ScimError(error.status, error.scimType, `Operation ${index + 1}: ${error.message}`);
    }
  }
  return copy;
};
