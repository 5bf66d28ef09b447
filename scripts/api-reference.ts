/*
 * The reference of the HTTP interface as Markdown, made of the description that is served: a page of the operations by
 * tag, and one of the types that they share.
 */

type Json = Readonly<Record<string, unknown>>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head'];
const ANSWERED = /^2/;

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const member = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce((at: unknown, name) => (isJson(at) ? at[name] : undefined), value);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const entries = (value: unknown): [string, unknown][] => (isJson(value) ? Object.entries(value) : []);
const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
const refOf = (value: unknown): string => text(member(value, '$ref'));
const lastOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

/** Prose or a cell as Markdown that neither HTML nor Vue reads anything into. */
const prose = (value: unknown): string =>
  text(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;').replaceAll('|', '\\|');

/** Bounds and forms that a type alone does not tell. */
const CONSTRAINTS = ['format', 'pattern', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'];

const constraints = (schema: unknown): string => {
  const formats = list(member(schema, 'anyOf')).map((one) => text(member(one, 'format')));
  const said = [
    ...(formats.every((one) => one === '') ? [] : [`format ${formats.filter(Boolean).join(' or ')}`]),
    ...CONSTRAINTS.filter((name) => text(member(schema, name)) !== '').map(
      (name) => `${name} ${text(member(schema, name))}`,
    ),
    ...(member(schema, 'default') === undefined ? [] : [`default ${JSON.stringify(member(schema, 'default'))}`]),
    ...(text(member(schema, 'description')) === '' ? [] : [text(member(schema, 'description'))]),
  ];
  return said.length === 0 ? '' : `  // ${said.join(', ').replaceAll('\n', ' ')}`;
};

/** A schema in the words of TypeScript, which are shorter than its own. */
const typeOf = (schema: unknown, indent = ''): string => {
  const ref = refOf(schema);
  if (ref !== '') return lastOf(ref);
  const constant = member(schema, 'const');
  if (constant !== undefined) return JSON.stringify(constant);
  const options = list(member(schema, 'enum'));
  if (options.length > 0) return options.map((one) => JSON.stringify(one)).join(' | ');
  const either = [...list(member(schema, 'anyOf')), ...list(member(schema, 'oneOf'))];
  if (either.length > 0) return [...new Set(either.map((one) => typeOf(one, indent)))].join(' | ');
  const type = member(schema, 'type');
  if (Array.isArray(type)) return type.join(' | ');
  if (type === 'array') {
    const item = typeOf(member(schema, 'items'), indent);
    return item.includes(' | ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
  }
  const properties = entries(member(schema, 'properties'));
  const further = member(schema, 'additionalProperties');
  if (properties.length === 0 && isJson(further)) return `{ [name: string]: ${typeOf(further, indent)} }`;
  if (properties.length > 0) {
    const required = list(member(schema, 'required'));
    const lines = properties.map(
      ([name, of]) =>
        `${indent}  ${name}${required.includes(name) ? '' : '?'}: ${typeOf(of, `${indent}  `)};${constraints(of)}`,
    );
    return `{\n${lines.join('\n')}\n${indent}}`;
  }
  return text(type) || 'unknown';
};

const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\`\n`;

const resolved = (document: unknown, value: unknown): unknown => {
  const ref = refOf(value);
  return ref === '' ? value : member(document, ...ref.split('/').slice(1));
};

const contentOf = (value: unknown): [string, unknown] | undefined => entries(member(value, 'content'))[0];

const examplesOf = (document: unknown, content: unknown): unknown[] => {
  const schema = member(content, 'schema');
  return [
    ...(member(content, 'example') === undefined ? [] : [member(content, 'example')]),
    ...entries(member(content, 'examples')).map(([, one]) => member(resolved(document, one), 'value')),
    ...list(member(resolved(document, schema), 'examples')),
  ];
};

const parametersOf = (document: unknown, operation: unknown): string => {
  const all = list(member(operation, 'parameters')).map((one) => resolved(document, one));
  if (all.length === 0) return '';
  const rows = all.map((one) => {
    const must = member(one, 'required') === true ? 'yes' : 'no';
    const schema = member(one, 'schema');
    const says = [text(member(one, 'description')), constraints(schema).replace(/^\s*\/\/ /, '')].filter(Boolean);
    const type = typeOf(schema).replaceAll('|', '\\|');
    return `| \`${text(member(one, 'name'))}\` | ${text(member(one, 'in'))} | \`${type}\` | ${must} | ${prose(says.join('; '))} |`;
  });
  return ['| parameter | in | type | required | |', '|---|---|---|---|---|', ...rows, ''].join('\n');
};

const bodyOf = (document: unknown, operation: unknown): string => {
  const [media, content] = contentOf(member(operation, 'requestBody')) ?? [];
  if (media === undefined) return '';
  const examples = examplesOf(document, content).slice(0, 1);
  return [
    `Body, \`${media}\`, at most ${text(member(operation, 'x-max-body-bytes'))} bytes:\n`,
    fence('ts', typeOf(member(content, 'schema'))),
    ...examples.map((one) => `For example:\n\n${fence('json', JSON.stringify(one, null, 2))}`),
  ].join('\n');
};

const answersOf = (document: unknown, operation: unknown): string =>
  entries(member(operation, 'responses'))
    .filter(([status]) => ANSWERED.test(status))
    .map(([status, answer]) => {
      const [media, content] = contentOf(resolved(document, answer)) ?? [];
      if (media === undefined) return `Answer: ${status}\n`;
      return `Answer: ${status}, \`${media}\`\n\n${fence('ts', typeOf(member(content, 'schema')))}`;
    })
    .join('\n');

const operationText = (document: unknown, path: string, method: string, operation: unknown): string => {
  const isPublic = member(operation, 'x-public') === true;
  const scope = text(member(operation, 'x-scope'));
  const held = scope === '' ? 'No scope is asked for.' : `Scope \`${scope}\`.`;
  const errors = list(member(operation, 'x-error-codes')).map((code) => `\`${text(code)}\``);
  return [
    `### ${prose(member(operation, 'summary'))}\n`,
    fence('http', `${method.toUpperCase()} ${path}`),
    text(member(operation, 'description')) === '' ? '' : `${prose(member(operation, 'description'))}\n`,
    `${held}${isPublic ? ' Public keys may call it.' : ''} Time budget ${text(member(operation, 'x-budget-ms'))} ms.\n`,
    parametersOf(document, operation),
    bodyOf(document, operation),
    answersOf(document, operation),
    errors.length === 0 ? '' : `Errors: ${errors.join(', ')}\n`,
  ]
    .filter(Boolean)
    .join('\n');
};

/** Paths of a key of several orgs say nothing that the others do not. */
const isShown = (path: string): boolean => !path.startsWith('/api/v1/orgs/{orgId}/');

/** The operations by tag. `document` is an OpenAPI document; throws nothing. */
export const apiReference = (document: unknown): string => {
  const operations = entries(member(document, 'paths')).flatMap(([path, methods]) =>
    METHODS.filter((method) => isShown(path) && member(methods, method) !== undefined).map((method) => ({
      tag: text(list(member(methods, method, 'tags'))[0]),
      text: operationText(document, path, method, member(methods, method)),
    })),
  );
  const tags = list(member(document, 'tags')).map((tag) => {
    const name = text(member(tag, 'name'));
    const own = operations.filter((one) => one.tag === name).map((one) => one.text);
    return own.length === 0 ? '' : `## ${name}\n\n${prose(member(tag, 'description'))}.\n\n${own.join('\n')}`;
  });
  const about = prose(member(document, 'info', 'description'));
  const types = 'Types that are only named here are told in [Types of the interface](./types.md).';
  return `# HTTP interface\n\n${about}\n\n${types}\n\n${tags.filter(Boolean).join('\n')}`;
};

/** The types that operations share, by name. Throws nothing. */
export const apiTypes = (document: unknown): string => {
  const types = entries(member(document, 'components', 'schemas'))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => `## ${name}\n\n${fence('ts', `type ${name} = ${typeOf(schema)}`)}`);
  return `# Types of the interface\n\nAs [the operations](./api.md) take and answer them; \`?\` may be left out.\n\n${types.join('\n')}`;
};
