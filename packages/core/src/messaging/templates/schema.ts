import { z } from 'zod';
import { withoutInnerNulls, withoutNulls } from '../../foundation/absent-null.ts';
import { type FieldErrors, fieldErrorsOf, validationError } from '../../foundation/errors.ts';
import { isObject, normaliseFreeForm } from '../../foundation/json.ts';
import { parse } from '../../foundation/parse.ts';
import type { TemplateWarning } from './answers.generated.ts';
import { firstWarnings, textFindings, unrenderedFields } from './content-warnings.ts';
import type { TemplateContent, TemplateKind } from './kind.ts';

/** Maximum characters of a name. Source: as for a workflow (interface, Workflow). */
export const MAX_TEMPLATE_NAME = 200;

const name = z
  .string()
  .min(1)
  .max(MAX_TEMPLATE_NAME)
  .refine((text) => !/[\p{Cc}\u2028\u2029]/u.test(text), 'must be one line without control characters')
  .describe('Name of the template, one line. 1 to 200 characters.');

/** Body of a new template: its name, and the content fields of the channel's send body. */
export const templateBody = <Shape extends z.ZodRawShape>({
  fields,
  check,
  checkSaved,
}: Pick<TemplateKind<never, Shape>, 'fields' | 'check' | 'checkSaved'>) =>
  z.strictObject({ name, ...fields }).superRefine((template, context) => {
    // Safe: the fields are members of the object.
    const content = template as unknown as z.output<z.ZodObject<Shape>>;
    check(content, context);
    checkSaved?.(content, context);
  });

type Patch<Shape extends z.ZodRawShape> = { [Key in keyof Shape]: z.ZodOptional<z.ZodNullable<Shape[Key]>> };

/** Changes of a template: null removes a field, omitted fields stay. */
export const templatePatch = <Shape extends z.ZodRawShape>({ fields }: Pick<TemplateKind<never, Shape>, 'fields'>) => {
  const entries = Object.entries(fields).map(([key, schema]) => [key, z.nullable(schema).optional()]);
  // Safe: the same keys, each with its schema or null.
  return z.strictObject({ name: name.optional(), ...(Object.fromEntries(entries) as Patch<Shape>) });
};

/** A template as stored: the fields as received. */
export type ParsedTemplate = {
  readonly name: string;
  readonly content: TemplateContent;
  readonly warnings: readonly TemplateWarning[];
};

/** Keys of nested objects that their schemas dropped; the schema itself rejects unknown top-level keys. */
function* nestedUnknownKeys(sent: unknown, read: unknown, path: string): Generator<string> {
  if (Array.isArray(sent) && Array.isArray(read))
    for (const [index, item] of sent.entries()) yield* nestedUnknownKeys(item, read[index], `${path}${index}.`);
  if (!isObject(sent) || !isObject(read)) return;
  for (const [key, value] of Object.entries(sent)) {
    if (value === undefined) continue;
    if (Object.hasOwn(read, key)) yield* nestedUnknownKeys(value, read[key], `${path}${key}.`);
    else yield `${path}${key}`;
  }
}

const unknownKeys = (sent: unknown, read: unknown): FieldErrors =>
  Object.fromEntries([...nestedUnknownKeys(sent, read, '')].map((path) => [path, ['unknown field']]));

/** Lint results of a content: errors by field, and warnings. */
const linted = (kind: Pick<TemplateKind, 'texts' | 'userFields'>, content: TemplateContent) => {
  const errors = new Map<string, string[]>();
  const warnings: TemplateWarning[] = [];
  for (const { level, path, code, message } of textFindings(kind, content))
    if (level === 'warning') warnings.push({ path, code, message });
    else errors.set(path, [...(errors.get(path) ?? []), message]);
  warnings.push(...unrenderedFields(kind, content));
  return { errors: Object.fromEntries(errors), warnings: firstWarnings(warnings) };
};

const plain = (value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) : value;

/**
 * Parses a complete template of this kind.
 *
 * @throws VALIDATION_ERROR by field, for everything that a send body is rejected for, for unknown keys at any level,
 * and for lint errors
 */
export const parseTemplate = (kind: TemplateKind, value: unknown): ParsedTemplate => {
  const body = templateBody(kind);
  const sent = withoutNulls(body, plain(value));
  const parsed = body.safeParse(sent);
  if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
  const unknown = unknownKeys(sent, parsed.data);
  if (Object.keys(unknown).length > 0) throw validationError(unknown);
  // Safe: the schema accepted it as an object with a name; its fields are stored as received.
  const { name: called, ...content } = normaliseFreeForm(sent) as { readonly name: string } & TemplateContent;
  const { errors, warnings } = linted(kind, content);
  if (Object.keys(errors).length > 0)
    throw validationError(
      errors,
      'The template has tags that Beckon cannot render. details.fieldErrors names each field and the tag.',
    );
  return { name: called, content, warnings };
};

/** Checks the form of a patch, in which null clears a field. Throws VALIDATION_ERROR. */
export const checkTemplatePatch = (kind: TemplateKind, patch: unknown): void => {
  const schema = templatePatch(kind);
  parse(schema, withoutInnerNulls(schema, patch));
};

/**
 * Parses a content like the fields of a send body.
 *
 * @returns the content, or `problems` by field if it cannot be sent. Throws nothing.
 */
export const readContent = <Shape extends z.ZodRawShape>(
  { fields, check }: Pick<TemplateKind<never, Shape>, 'fields' | 'check'>,
  content: TemplateContent,
):
  | { readonly ok: true; readonly content: z.output<z.ZodObject<Shape>> }
  | { readonly ok: false; readonly problems: FieldErrors } => {
  const read = z
    .object(fields)
    .superRefine((parsed, context) => check(parsed as z.output<z.ZodObject<Shape>>, context))
    .safeParse(content);
  // Safe: the output of the fields.
  if (read.success) return { ok: true, content: read.data as z.output<z.ZodObject<Shape>> };
  return { ok: false, problems: fieldErrorsOf(read.error) };
};

/** Applies a patch to a template. Throws as `parseTemplate`, and for an empty patch. */
export const patchTemplate = (
  kind: TemplateKind,
  { name: called, content }: Pick<ParsedTemplate, 'name' | 'content'>,
  patch: unknown,
): ParsedTemplate => {
  const changes = plain(patch);
  if (!isObject(changes)) throw validationError({ body: ['must be an object'] });
  if (Object.keys(changes).length === 0) throw validationError({ body: ['must have at least one field to change'] });
  const left = Object.entries({ name: called, ...content, ...changes }).filter(([, value]) => value !== null);
  return parseTemplate(kind, Object.fromEntries(left));
};
