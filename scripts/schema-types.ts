// JSON Schema as TypeScript: one interface or type per named schema, with its descriptions as doc comments.

export type Node = Record<string, unknown>;
export type Schemas = Readonly<Record<string, Node>>;

const REF = '#/components/schemas/';
const LINE = 118;
/**
 * Minimum number of shared members from which an interface extends another one. Chosen: fewer are easier to read in
 * place.
 */
const MIN_SHARED = 3;

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const nodes = (value: unknown): Node[] => (Array.isArray(value) ? value.filter(isNode) : []);
export const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value);
export const either = (types: readonly string[]): string => [...new Set(types)].join(' | ') || 'never';
const arrayOf = (type: string): string =>
  `readonly ${/^[\w.]+(<.*>)?$|^\{[\s\S]*\}$/.test(type) && !/\} \| /.test(type) ? type : `(${type})`}[]`;

const membersOf = (schema: Node): [string, Node][] =>
  Object.entries(isNode(schema['properties']) ? schema['properties'] : {}).map(([name, value]) => [
    name,
    isNode(value) ? value : {},
  ]);
const requiredOf = (schema: Node): Set<unknown> => new Set(Array.isArray(schema['required']) ? schema['required'] : []);

/** A doc comment, broken into lines. Throws nothing. */
export const docOf = (text: unknown, indent: string): string => {
  if (typeof text !== 'string') return '';
  const safe = text.replaceAll('*/', '*\\/');
  if (indent.length + safe.length + 8 <= LINE) return `${indent}/** ${safe} */\n`;
  const lines = [''];
  for (const word of safe.split(/\s+/)) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && indent.length + last.length + word.length + 4 > LINE) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
};

/** The form of optional members: `?: T | undefined` for values built in TypeScript, `?: T` for JSON. */
export type TypeStyle = { readonly undefinedToo: boolean };

const isDescribed = (schema: Node): boolean => membersOf(schema).some(([, value]) => 'description' in value);

const fieldsOf = (
  members: readonly [string, Node][],
  required: ReadonlySet<unknown>,
  indent: string,
  style: TypeStyle,
) =>
  members.map(([name, value]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : literal(name);
    const type = typeOf(value, indent, style);
    const isRequired = required.has(name);
    const more = !isRequired && style.undefinedToo && type !== 'unknown' ? ' | undefined' : '';
    return `${docOf(value['description'], indent)}${indent}readonly ${key}${isRequired ? '' : '?'}: ${type}${more};\n`;
  });

const objectType = (schema: Node, indent: string, style: TypeStyle): string => {
  const members = membersOf(schema);
  const more = schema['additionalProperties'];
  if (members.length === 0) {
    const value = isNode(more) ? typeOf(more, indent, style) : 'unknown';
    const names = isNode(schema['propertyNames']) ? schema['propertyNames']['enum'] : null;
    if (Array.isArray(names)) return `Readonly<Partial<Record<${either(names.map(literal))}, ${value}>>>`;
    return `Readonly<Record<string, ${value}>>`;
  }
  const inner = `${indent}  `;
  const index = isNode(more) ? [`${inner}readonly [name: string]: ${typeOf(more, inner, style)};\n`] : [];
  const fields = [...fieldsOf(members, requiredOf(schema), inner, style), ...index];
  if (isDescribed(schema)) return `{\n${fields.join('')}${indent}}`;
  return `{ ${fields.map((field) => field.trim()).join(' ')} }`;
};

const byWord = (word: unknown, schema: Node, indent: string, style: TypeStyle): string => {
  switch (word) {
    case 'string':
    case 'boolean':
    case 'null':
    case 'Date':
      return word;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      if (Array.isArray(schema['prefixItems']))
        return `readonly [${nodes(schema['prefixItems'])
          .map((one) => typeOf(one, indent, style))
          .join(', ')}]`;
      return arrayOf(isNode(schema['items']) ? typeOf(schema['items'], indent, style) : 'unknown');
    case 'object':
      return objectType(schema, indent, style);
    default:
      return 'unknown';
  }
};

/** The type of the values of a schema. Throws nothing. */
export const typeOf = (schema: Node, indent: string, style: TypeStyle): string => {
  const { $ref: ref, enum: words, type } = schema;
  if (typeof ref === 'string') return ref.replace(REF, '');
  if ('const' in schema) return literal(schema['const']);
  if (Array.isArray(words)) return either(words.map(literal));
  const choices = [...nodes(schema['anyOf']), ...nodes(schema['oneOf'])];
  if (choices.length > 0) return either(choices.map((one) => typeOf(one, indent, style)));
  return either((Array.isArray(type) ? type : [type]).map((word) => byWord(word, schema, indent, style)));
};

/** The names of the schemas that a schema refers to. Throws nothing. */
export const refsOf = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(refsOf);
  if (!isNode(value)) return [];
  const own = typeof value['$ref'] === 'string' ? [value['$ref'].replace(REF, '')] : [];
  return [...own, ...Object.values(value).flatMap(refsOf)];
};

const isPlainObject = (schema: Node): boolean =>
  schema['type'] === 'object' && membersOf(schema).length > 0 && !isNode(schema['additionalProperties']);

/** The schema with the most members that are all members of this one as well; null: none. */
const baseOf = (name: string, schemas: Schemas): string | null => {
  const schema = schemas[name] ?? {};
  const own = new Map(membersOf(schema).map(([key, value]) => [key, JSON.stringify(value)]));
  const required = requiredOf(schema);
  let base: string | null = null;
  let most = MIN_SHARED - 1;
  for (const [other, candidate] of Object.entries(schemas)) {
    const members = membersOf(candidate);
    if (!isPlainObject(candidate) || members.length >= own.size || members.length <= most) continue;
    const needed = requiredOf(candidate);
    const isShared = members.every(
      ([key, value]) => own.get(key) === JSON.stringify(value) && required.has(key) === needed.has(key),
    );
    if (!isShared) continue;
    base = other;
    most = members.length;
  }
  return base;
};

/**
 * An exported declaration of a schema: an interface for an object, which extends the interface whose members it
 * repeats, or else a type.
 *
 * @param schemas those that it may extend. Throws nothing.
 */
export const declarationOf = (name: string, schemas: Schemas, style: TypeStyle): string => {
  const schema = schemas[name] ?? {};
  const doc = docOf(schema['description'], '');
  if (!isPlainObject(schema)) return `${doc}export type ${name} = ${typeOf(schema, '', style)};`;
  const base = baseOf(name, schemas);
  const inherited = new Set(base === null ? [] : membersOf(schemas[base] ?? {}).map(([key]) => key));
  const members = membersOf(schema).filter(([key]) => !inherited.has(key));
  const fields = fieldsOf(members, requiredOf(schema), '  ', style).join('');
  return `${doc}export interface ${name}${base === null ? '' : ` extends ${base}`} {\n${fields}}`;
};
