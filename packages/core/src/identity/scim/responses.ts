import { elementsOf, type ScimObject } from './documents.ts';
import { resolvePath } from './paths.ts';
import { attributesOf, type ScimResource } from './schemas.ts';
import { refused, ScimError } from './scim-error.ts';

export const LIST_SCHEMA_ID = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
export const ERROR_SCHEMA_ID = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** Resources of one page of a list. Source: authentication design, Paging and versions. */
export const MAX_PAGE_RESOURCES = 200;

/** Part of a list; `startIndex` counts from 1. */
export type ScimPage = { readonly startIndex: number; readonly count: number };

const integerOf = (name: string, text: string | null): number | null => {
  if (text === null || text === '') return null;
  if (!/^-?\d{1,9}$/.test(text)) throw refused('invalidValue', `${name} is not a whole number`);
  return Number(text);
};

/**
 * Reads `startIndex` and `count`: values that are too small or too large are moved to the nearest limit.
 *
 * @throws ScimError invalidValue for text that is no whole number
 */
export const pageOf = (startIndex: string | null, count: string | null): ScimPage => ({
  startIndex: Math.max(1, integerOf('startIndex', startIndex) ?? 1),
  count: Math.min(MAX_PAGE_RESOURCES, Math.max(0, integerOf('count', count) ?? MAX_PAGE_RESOURCES)),
});

/** Body of a list. Without resources it has totals only. */
export const listBody = (
  { startIndex }: Pick<ScimPage, 'startIndex'>,
  totalResults: number,
  resources: readonly Readonly<Record<string, unknown>>[],
) => ({
  schemas: [LIST_SCHEMA_ID],
  totalResults,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
});

/** Body of an error. The status is text: RFC 7644, 3.12. */
export const errorBody = ({ status, scimType, message }: Pick<ScimError, 'status' | 'scimType' | 'message'>) => ({
  schemas: [ERROR_SCHEMA_ID],
  status: String(status),
  ...(scimType === null ? {} : { scimType }),
  detail: message,
});

/** ETag of a version. Weak: another projection of the version has the same. */
export const etagOf = (version: number): string => `W/"${version}"`;

/**
 * Evaluates `If-Match`: absent, `*`, or a list of ETags, weak or strong.
 *
 * @throws ScimError 412 if it names other versions alone
 */
export const checkIfMatch = (header: string | null, version: number): void => {
  if (header === null) return;
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (tags.includes('*') || tags.includes(`"${version}"`)) return;
  throw new ScimError(412, null, 'The resource has changed since it was read');
};

/** Adds `schemas`, `id` and `meta` to a stored document. */
export const resourceBody = (
  resource: ScimResource,
  document: ScimObject,
  {
    id,
    createdAt,
    updatedAt,
    version,
    baseUrl,
  }: {
    readonly id: string;
    readonly createdAt: Date;
    readonly updatedAt: Date;
    readonly version: number;
    readonly baseUrl: string;
  },
): Record<string, unknown> => ({
  schemas: [
    resource.schema.id,
    ...resource.extensions.map((each) => each.id).filter((extension) => document[extension] !== undefined),
  ],
  id,
  ...document,
  meta: {
    resourceType: resource.name,
    created: createdAt.toISOString(),
    lastModified: updatedAt.toISOString(),
    location: `${baseUrl}${resource.endpoint}/${id}`,
    version: etagOf(version),
  },
});

/** Names of a projection: those addressed as a whole, and those within an attribute or an extension. */
type Names = { readonly whole: Set<string>; readonly parts: Map<string, Names> };

const noNames = (): Names => ({ whole: new Set(), parts: new Map() });

const partsOf = (names: Names, name: string): Names => {
  const parts = names.parts.get(name) ?? noNames();
  names.parts.set(name, parts);
  return parts;
};

/** Names outside the schemas are left out: RFC 7644, 3.9 has no error for them. */
const namesOf = (resource: ScimResource, text: string): Names => {
  const root = noNames();
  for (const name of text.split(',')) {
    const path = resolvePath(resource, name.trim());
    if (path === null) continue;
    if ('wholeExtension' in path) {
      root.whole.add(path.wholeExtension);
      continue;
    }
    const container = path.extension === null ? root : partsOf(root, path.extension);
    if (path.sub === null) container.whole.add(path.attribute.name);
    else partsOf(container, path.attribute.name).whole.add(path.sub.name);
  }
  return root;
};

type Body = Readonly<Record<string, unknown>>;

const isBody = (value: unknown): value is Body => typeof value === 'object' && value !== null && !Array.isArray(value);

const projected = (body: Body, names: Names, isIncluded: boolean, always: ReadonlySet<string>): Body => {
  const result: Record<string, unknown> = {};
  const inner = (value: unknown, parts: Names): unknown => {
    if (Array.isArray(value)) return value.map((each: unknown) => inner(each, parts));
    return isBody(value) ? projected(value, parts, isIncluded, new Set()) : value;
  };
  for (const [name, value] of Object.entries(body)) {
    const parts = names.parts.get(name);
    if (always.has(name) || names.whole.has(name) === isIncluded) {
      result[name] = parts === undefined || isIncluded || always.has(name) ? value : inner(value, parts);
    } else if (isIncluded && parts !== undefined) {
      result[name] = inner(value, parts);
    }
  }
  return result;
};

/**
 * Reduces a resource to `attributes`, or by `excludedAttributes`; `id` and `schemas` always remain.
 *
 * @throws ScimError invalidValue if both are present
 */
export const projectBody = (
  resource: ScimResource,
  body: Body,
  attributes: string | null,
  excludedAttributes: string | null,
): Body => {
  if (attributes && excludedAttributes) {
    throw refused('invalidValue', 'Use attributes or excludedAttributes, not both');
  }
  const always = new Set(
    attributesOf(resource)
      .filter(({ returned }) => returned === 'always')
      .map(({ name }) => name),
  );
  if (attributes) return projected(body, namesOf(resource, attributes), true, always);
  return excludedAttributes ? projected(body, namesOf(resource, excludedAttributes), false, always) : body;
};

/** The primary element of a list, else its first. */
export const preferredValue = (document: ScimObject, list: 'emails' | 'phoneNumbers'): string | null => {
  const elements = elementsOf(document[list]);
  const value = (elements.find(({ primary }) => primary === true) ?? elements[0])?.value;
  return typeof value === 'string' ? value : null;
};
