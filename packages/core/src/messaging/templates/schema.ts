import { z } from 'zod';
import { withoutInnerNulls, withoutNulls } from '../../foundation/absent-null.ts';
import { type FieldErrors, fieldErrorsOf, validationError } from '../../foundation/errors.ts';
import { isObject, normaliseFreeForm } from '../../foundation/json.ts';
import { parse } from '../../foundation/parse.ts';
import type { TemplateWarning } from './answers.generated.ts';
import { firstWarnings, textFindings, unrenderedFields } from './content-warnings.ts';
import type { TemplateContent, TemplateKind } from './kind.ts';

/** Characters of a name. Source: as for a workflow's (interface, Workflow). */
export const MAX_TEMPLATE_NAME = 200;

const name = z
  .string()
  .min(1)
  .max(MAX_TEMPLATE_NAME)
  .refine((text) => !/[\p{Cc}\u2028\u2029]/u.test(text), 'must be one line without control characters')
  .describe('Name of the template, one line. 1 to 200 characters.');

/** Body of a template that is made: its name, and the fields of a send body of that channel without its recipients. */
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

/** What changes of a template: null removes a field, what is left out stays. */
export const templatePatch = <Shape extends z.ZodRawShape>({ fields }: Pick<TemplateKind<never, Shape>, 'fields'>) => {
  const entries = Object.entries(fields).map(([key, schema]) => [key, z.nullable(schema).optional()]);
  // Safe: the same keys, each with its schema or null.
  return z.strictObject({ name: name.optional(), ...(Object.fromEntries(entries) as Patch<Shape>) });
};

/** A template as it is kept: the fields as they were given. */
export type ParsedTemplate = {
  readonly name: string;
  readonly content: TemplateContent;
  readonly warnings: readonly TemplateWarning[];
};

/** Keys of objects within the fields that their schemas left out: the outermost ones are refused by the schema. */
function* strangers(sent: unknown, read: unknown, path: string): Generator<string> {
  if (Array.isArray(sent) && Array.isArray(read))
    for (const [index, item] of sent.entries()) yield* strangers(item, read[index], `${path}${index}.`);
  if (!isObject(sent) || !isObject(read)) return;
  for (const [key, value] of Object.entries(sent)) {
    if (value === undefined) continue;
    if (Object.hasOwn(read, key)) yield* strangers(value, read[key], `${path}${key}.`);
    else yield `${path}${key}`;
  }
}

const unknownKeys = (sent: unknown, read: unknown): FieldErrors =>
  Object.fromEntries([...strangers(sent, read, '')].map((path) => [path, ['unknown field']]));

/** What lint says of the texts of a content, and what is no template: errors by field, and warnings. */
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
 * A template of this kind, whole.
 *
 * @throws VALIDATION_ERROR by field, for what a send body would be refused for, for unknown keys at any level, and for
 * texts that lint calls wrong
 */
export const parseTemplate = (kind: TemplateKind, value: unknown): ParsedTemplate => {
  const body = templateBody(kind);
  const sent = withoutNulls(body, plain(value));
  const parsed = body.safeParse(sent);
  if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
  const unknown = unknownKeys(sent, parsed.data);
  if (Object.keys(unknown).length > 0) throw validationError(unknown);
  // Safe: the schema took it for an object with a name, and its fields as they were given are what is kept of it.
  const { name: called, ...content } = normaliseFreeForm(sent) as { readonly name: string } & TemplateContent;
  const { errors, warnings } = linted(kind, content);
  if (Object.keys(errors).length > 0)
    throw validationError(
      errors,
      'The template has tags that Beckon cannot render. details.fieldErrors names each field and the tag.',
    );
  return { name: called, content, warnings };
};

/** Checks the form of a patch, of which null clears a field. Throws VALIDATION_ERROR. */
export const checkTemplatePatch = (kind: TemplateKind, patch: unknown): void => {
  const schema = templatePatch(kind);
  parse(schema, withoutInnerNulls(schema, patch));
};

/**
 * What the fields of a content come to, as a send body would be read.
 *
 * @returns null where they cannot be sent; with `problems` what is wrong, by field. Throws nothing.
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
  // Safe: what the fields gave.
  if (read.success) return { ok: true, content: read.data as z.output<z.ZodObject<Shape>> };
  return { ok: false, problems: fieldErrorsOf(read.error) };
};

/** A template as a patch leaves it. Throws as `parseTemplate`, and for a patch without a member. */
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
