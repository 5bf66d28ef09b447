import { isPlainObject } from '../../foundation/json.ts';
import { resolvePath } from './paths.ts';
import { attributeNamed, type ScimAttribute, type ScimResource } from './schemas.ts';
import { quoted, refused } from './scim-error.ts';

/** Documents have no prototype, and only names of the schemas: `__proto__` of a request reaches neither. */
export type ScimObject = { [name: string]: ScimValue | undefined };
export type ScimValue = string | boolean | ScimObject | ScimObject[];

/** Names outside the schemas are refused by PATCH and left out by POST and PUT, as providers send them. */
export type UnknownNames = 'refuse' | 'drop';

export const newObject = (): ScimObject => Object.create(null);

/** True for a complex value; lists and simple values are none. */
export const isScimObject = (value: ScimValue | undefined): value is ScimObject =>
  typeof value === 'object' && !Array.isArray(value);

/** The elements of a list; none for another value. */
export const elementsOf = (value: ScimValue | undefined): ScimObject[] => (Array.isArray(value) ? value : []);

export const cloneValue = (value: ScimValue): ScimValue => {
  if (Array.isArray(value)) return value.map(cloneObject);
  return typeof value === 'object' ? cloneObject(value) : value;
};

export const cloneObject = (object: ScimObject): ScimObject => {
  const copy = newObject();
  for (const [name, value] of Object.entries(object)) if (value !== undefined) copy[name] = cloneValue(value);
  return copy;
};

const wrongType = ({ name, type }: ScimAttribute) => refused('invalidValue', `${name} is not of type ${type}`);

const simpleOf = (attribute: ScimAttribute, input: unknown): string | boolean => {
  if (attribute.type === 'boolean') {
    const text = typeof input === 'string' ? input.toLowerCase() : input;
    // Entra ID sends booleans as text with a capital.
    if (text === true || text === 'true') return true;
    if (text === false || text === 'false') return false;
    throw wrongType(attribute);
  }
  if (typeof input !== 'string') throw wrongType(attribute);
  if (input.includes('\0') || !input.isWellFormed()) {
    throw refused('invalidValue', `${attribute.name} has characters that cannot be stored`);
  }
  return input;
};

/** Checks a complex value. A read-only member is left out: clients send back what they read. */
const complexOf = (attribute: ScimAttribute, input: unknown, unknownNames: UnknownNames): ScimObject => {
  const subAttributes = attribute.subAttributes ?? [];
  const object = newObject();
  const valueAttribute = attributeNamed(subAttributes, 'value');
  if (typeof input === 'string' && valueAttribute !== null) {
    object.value = simpleOf(valueAttribute, input);
    return object;
  }
  if (!isPlainObject(input)) throw wrongType(attribute);
  for (const [name, value] of Object.entries(input)) {
    const sub = attributeNamed(subAttributes, name);
    if (sub === null) {
      if (unknownNames === 'drop') continue;
      throw refused('invalidPath', `${attribute.name} has no ${quoted(name)}`);
    }
    if (sub.mutability === 'readOnly' || value === null) continue;
    object[sub.name] = simpleOf(sub, value);
  }
  return object;
};

/**
 * Checks a value against its attribute.
 *
 * @returns undefined for null, an empty list and an empty complex value, which are no value (RFC 7643, 2.5)
 * @throws ScimError invalidValue, or invalidPath for a name outside the schema if those are refused
 */
export const checkedValue = (
  attribute: ScimAttribute,
  input: unknown,
  unknownNames: UnknownNames,
): ScimValue | undefined => {
  if (input === null || input === undefined) return undefined;
  if (attribute.multiValued) {
    const inputs: readonly unknown[] = Array.isArray(input) ? input : [input];
    const elements = inputs
      .map((each) => complexOf(attribute, each, unknownNames))
      .filter((element) => Object.keys(element).length > 0);
    return elements.length === 0 ? undefined : elements;
  }
  // Entra ID sends a list of one for a single value.
  const single: unknown = Array.isArray(input) && input.length <= 1 ? input[0] : input;
  if (single === undefined) return undefined;
  if (attribute.type === 'complex') {
    // Entra ID removes a manager by an empty text.
    const object = single === '' ? newObject() : complexOf(attribute, single, unknownNames);
    if (object.value === '') return undefined;
    return Object.keys(object).length === 0 ? undefined : object;
  }
  const isWrapped = Array.isArray(input) && isPlainObject(single);
  return simpleOf(attribute, isWrapped ? single.value : single);
};

/**
 * Checks that required attributes have a value, and that a list has at most one primary value.
 *
 * @throws ScimError invalidValue
 */
export const checkDocument = (resource: ScimResource, document: ScimObject): void => {
  for (const { name, required } of resource.schema.attributes) {
    const value = document[name];
    if (required && (typeof value !== 'string' || value.trim() === '')) {
      throw refused('invalidValue', `${name} is required`);
    }
    if (elementsOf(value).filter(({ primary }) => primary === true).length > 1) {
      throw refused('invalidValue', `${name} has more than one primary value`);
    }
  }
};

/**
 * Reads the body of a POST or PUT. Read-only attributes and names outside the schemas are left out.
 *
 * @throws ScimError invalidSyntax, invalidValue
 */
export const readDocument = (resource: ScimResource, body: unknown): ScimObject => {
  if (!isPlainObject(body)) throw refused('invalidSyntax', 'The body is not a JSON object');
  const document = newObject();
  for (const [name, value] of Object.entries(body)) {
    const path = resolvePath(resource, name);
    if (path === null) continue;
    if ('wholeExtension' in path) {
      const extension = isPlainObject(value) ? value : {};
      for (const [member, memberValue] of Object.entries(extension)) {
        const inner = resolvePath(resource, `${path.wholeExtension}:${member}`);
        if (inner !== null && !('wholeExtension' in inner) && inner.sub === null) {
          setAttribute(
            document,
            inner.extension,
            inner.attribute.name,
            checkedValue(inner.attribute, memberValue, 'drop'),
          );
        }
      }
    } else if (path.sub === null && path.attribute.mutability !== 'readOnly') {
      setAttribute(document, path.extension, path.attribute.name, checkedValue(path.attribute, value, 'drop'));
    }
  }
  checkDocument(resource, document);
  return document;
};

/** Sets or removes an attribute; an extension without attributes is removed. */
export const setAttribute = (
  document: ScimObject,
  extension: string | null,
  name: string,
  value: ScimValue | undefined,
): void => {
  const before = extension === null ? document : document[extension];
  const container = isScimObject(before) ? before : newObject();
  if (value === undefined) delete container[name];
  else container[name] = value;
  if (extension === null) return;
  if (Object.keys(container).length === 0) delete document[extension];
  else document[extension] = container;
};

export const getAttribute = (document: ScimObject, extension: string | null, name: string): ScimValue | undefined => {
  const container = extension === null ? document : document[extension];
  return isScimObject(container) ? container[name] : undefined;
};
