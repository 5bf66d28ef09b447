import { attributeNamed, attributesOf, type ScimAttribute, type ScimResource } from './schemas.ts';

/** Where a value of a document is. */
export type ScimPath = {
  /** Id of the extension that has the attribute; null for an attribute at the top level. */
  readonly extension: string | null;
  readonly attribute: ScimAttribute;
  readonly sub: ScimAttribute | null;
};

/** A path, or the id of a whole extension, or null for a name outside the schemas. */
export type ResolvedPath = ScimPath | { readonly wholeExtension: string } | null;

const inAttributes = (
  attributes: readonly ScimAttribute[],
  text: string,
  extension: string | null,
): ScimPath | null => {
  const [name = '', subName, ...others] = text.split('.');
  const attribute = attributeNamed(attributes, name);
  if (attribute === null || others.length > 0) return null;
  if (subName === undefined) return { extension, attribute, sub: null };
  const sub = attributeNamed(attribute.subAttributes ?? [], subName);
  return sub === null ? null : { extension, attribute, sub };
};

/** Resolves `name`, `name.sub`, and both after the id of a schema, in any case. */
export const resolvePath = (resource: ScimResource, text: string): ResolvedPath => {
  const folded = text.toLowerCase();
  if (!folded.startsWith('urn:')) return inAttributes(attributesOf(resource), text, null);
  for (const schema of resource.extensions) {
    const id = schema.id.toLowerCase();
    if (folded === id) return { wholeExtension: schema.id };
    if (folded.startsWith(`${id}:`)) return inAttributes(schema.attributes, text.slice(id.length + 1), schema.id);
  }
  const core = `${resource.schema.id.toLowerCase()}:`;
  return folded.startsWith(core) ? inAttributes(attributesOf(resource), text.slice(core.length), null) : null;
};
