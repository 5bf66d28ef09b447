import { z } from 'zod';
import { fieldErrorsOf, validationError } from '../../foundation/errors.ts';
import { isUuid } from '../../foundation/ids.ts';
import { isObject, normaliseFreeForm } from '../../foundation/json.ts';
import { jsonKeywords, UUID_TEXT } from '../../foundation/json-keywords.ts';
import { propertyFilters } from '../../people/events/property-filters.ts';
import { eventName, storableText } from '../runs/steps/fields.ts';
import { stepTypes } from '../runs/steps/list.ts';

/** Bundle format of this program. Source: interface, Workflow bundle. */
export const BUNDLE_VERSION = 1;
/** Maximum workflows of a bundle. Chosen: an import is one transaction. */
export const MAX_BUNDLE_WORKFLOWS = 1_000;
/** Maximum characters of a name. Source: interface, Workflow. */
export const MAX_WORKFLOW_NAME = 200;
/** Maximum characters of a description. Source: interface, Workflow. */
export const MAX_DESCRIPTION = 2_000;
const triggerSchema = z.strictObject({
  eventType: eventName.describe('Name of the event that starts a run. 1 to 128 characters.'),
  filters: propertyFilters
    .optional()
    .describe('Property values that the event must have, compared as text. Default: any event with the name.'),
  // Lower case, as in predicates and stored ids.
  audienceId: z
    .string()
    .toLowerCase()
    .refine(isUuid, 'must be a UUID')
    .register(jsonKeywords, UUID_TEXT)
    .optional()
    .describe('Id of an audience that the user must be in. Default: any user.'),
});

const workflowSchema = z.strictObject({
  name: storableText(MAX_WORKFLOW_NAME).describe('Name of the workflow. 1 to 200 characters, unique in the project.'),
  description: z
    .string()
    .max(MAX_DESCRIPTION)
    .nullable()
    .describe('What the workflow is for. At most 2,000 characters; null for none.'),
  trigger: triggerSchema.describe('What starts a run.'),
  steps: stepTypes.steps.describe('Steps, in order. At most 100, steps of branches included.'),
  isActive: z.boolean().describe('Whether new events start runs.'),
});

/** Names the JSON Schema of a file, from which editors complete it. */
const $schema = z
  .string()
  .optional()
  .describe('URL or path of the JSON Schema of this file, for editors. An import ignores it.');

export const bundleSchema = z.strictObject({
  $schema,
  version: z.literal(BUNDLE_VERSION).describe('Version of the bundle format. Always 1.'),
  exportedAt: z.string().describe('When the bundle was exported. ISO 8601. An import does not read it.'),
  workflows: z
    .array(workflowSchema)
    .max(MAX_BUNDLE_WORKFLOWS)
    .describe('Workflows of the bundle. Names are distinct. At most 1,000.'),
});

/** A definition by itself: what is left out is null, or inactive. */
export const workflowBody = z.strictObject({
  $schema,
  ...workflowSchema.shape,
  description: workflowSchema.shape.description
    .default(null)
    .describe('What the workflow is for. At most 2,000 characters. Default: null, no description.'),
  isActive: workflowSchema.shape.isActive.default(false).describe('Whether new events start runs. Default: false.'),
});
/** Changes to a definition. Omitted fields keep their values. */
export const workflowPatch = workflowSchema.partial();

export type Trigger = z.infer<typeof triggerSchema>;
/** A definition without id and version. */
export type Workflow = z.infer<typeof workflowSchema>;
export type Bundle = Omit<z.infer<typeof bundleSchema>, '$schema'>;

const refuseEnvelope = (value: unknown): void => {
  if (!isObject(value) || !Object.hasOwn(value, 'data') || Object.hasOwn(value, 'workflows')) return;
  const message = 'This is the response of an export. Send the value of its "data".';
  throw validationError({ data: [message] }, message);
};

const refuseVersion = (value: unknown): void => {
  if (!isObject(value) || value['version'] === undefined || value['version'] === BUNDLE_VERSION) return;
  throw validationError(
    { version: [`must be ${BUNDLE_VERSION}`] },
    `Unsupported bundle version. This program reads version ${BUNDLE_VERSION}.`,
    { reason: 'unsupported_bundle_version', supported: [BUNDLE_VERSION] },
  );
};

const refuseDuplicateNames = ({ workflows }: Bundle): void => {
  const first = new Map<string, number>();
  const duplicates: [string, string[]][] = [];
  for (const [index, { name }] of workflows.entries()) {
    const earlier = first.get(name);
    if (earlier === undefined) first.set(name, index);
    else duplicates.push([`workflows.${index}.name`, [`is already the name of workflows.${earlier}`]]);
  }
  if (duplicates.length > 0) throw validationError(Object.fromEntries(duplicates));
};

/**
 * Parses a bundle that this version can store and run.
 *
 * @param value result of `parseJson`, or plain JSON values of a host program; partly kept, never modified
 * @returns workflows in the order of the bundle, with distinct names and texts that both databases can store
 * (semantics, Unicode)
 * @throws BeckonError VALIDATION_ERROR with `fieldErrors` by path (`workflows.2.steps.0.config.minutes`); for another
 * version `details` is `{ reason: 'unsupported_bundle_version', supported: [1] }`
 */
export const parseBundle = (value: unknown): Bundle => {
  refuseEnvelope(value);
  refuseVersion(value);
  const parsed = bundleSchema.safeParse(value);
  if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
  // The schema silently drops a key `__proto__`; checking the input rejects it.
  normaliseFreeForm(value);
  const { $schema: _, ...bundle } = normaliseFreeForm(parsed.data);
  refuseDuplicateNames(bundle);
  return bundle;
};

const parseOne = <Parsed>(schema: z.ZodType<Parsed>, value: unknown): Parsed => {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
  // As for bundles: the schema silently drops a key `__proto__`.
  normaliseFreeForm(value);
  return normaliseFreeForm(parsed.data);
};

/**
 * Parses a complete new definition. Accepts and throws like `parseBundle`, with paths such as `steps.0.config.minutes`.
 */
export const parseWorkflow = (value: unknown): Workflow => {
  const { $schema: _, ...workflow } = parseOne(workflowBody, value);
  return workflow;
};

/** Parses changes to a definition: at least one member. Throws like `parseWorkflow`. */
export const parseWorkflowPatch = (value: unknown): Partial<Workflow> => {
  const members = Object.entries(parseOne(workflowPatch, value));
  // Undefined members of a host program change nothing.
  const patch = Object.fromEntries(members.filter(([, member]) => member !== undefined));
  if (Object.keys(patch).length === 0)
    throw validationError({ body: [`must have at least one of ${Object.keys(workflowPatch.shape).join(', ')}`] });
  // Safe: members of the schema without undefined ones.
  return patch as Partial<Workflow>;
};
