import { z } from 'zod';
import { fieldErrorsOf, validationError } from '../../foundation/errors.ts';
import { isUuid } from '../../foundation/ids.ts';
import { isObject, normaliseFreeForm } from '../../foundation/json.ts';
import { jsonKeywords, UUID_TEXT } from '../../foundation/json-keywords.ts';
import { propertyFilters } from '../../people/events/property-filters.ts';
import { eventName, storableText } from '../runs/steps/fields.ts';
import { stepTypes } from '../runs/steps/list.ts';

/** The bundle format that this program reads and writes. Source: interface, Workflow bundle. */
export const BUNDLE_VERSION = 1;
/** Workflows in one bundle; ours: one import is one transaction. */
export const MAX_BUNDLE_WORKFLOWS = 1_000;
/** Characters of a name. Source: interface, Workflow. */
export const MAX_WORKFLOW_NAME = 200;
/** Characters of a description. Source: interface, Workflow. */
export const MAX_DESCRIPTION = 2_000;
const triggerSchema = z.strictObject({
  eventType: eventName.describe('Name of the event that starts a run. 1 to 128 characters.'),
  filters: propertyFilters
    .optional()
    .describe('Property values that the event must have, compared as text. Default: any event with the name.'),
  // As predicates read it: an audience is found by its small letters.
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
/** What changes of a definition; the rest stays. */
export const workflowPatch = workflowSchema.partial();

export type Trigger = z.infer<typeof triggerSchema>;
/** A definition as it travels: no ids, no version. */
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

const refuseTwins = ({ workflows }: Bundle): void => {
  const first = new Map<string, number>();
  const twins: [string, string[]][] = [];
  for (const [index, { name }] of workflows.entries()) {
    const earlier = first.get(name);
    if (earlier === undefined) first.set(name, index);
    else twins.push([`workflows.${index}.name`, [`is already the name of workflows.${earlier}`]]);
  }
  if (twins.length > 0) throw validationError(Object.fromEntries(twins));
};

/**
 * A bundle that this version can store and run.
 *
 * @param value what `parseJson` returned, or plain JSON values of a host program; kept in part, never changed
 * @returns workflows in the bundle's order, names distinct, texts storable by both databases (semantics, Unicode)
 * @throws BeckonError VALIDATION_ERROR with `fieldErrors` by path (`workflows.2.steps.0.config.minutes`); for another
 * version `details` is `{ reason: 'unsupported_bundle_version', supported: [1] }`
 */
export const parseBundle = (value: unknown): Bundle => {
  refuseEnvelope(value);
  refuseVersion(value);
  const parsed = bundleSchema.safeParse(value);
  if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
  // The schema drops a key `__proto__` in silence; here it is refused, in what was given.
  normaliseFreeForm(value);
  const { $schema: _, ...bundle } = normaliseFreeForm(parsed.data);
  refuseTwins(bundle);
  return bundle;
};

const parseOne = <Parsed>(schema: z.ZodType<Parsed>, value: unknown): Parsed => {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
  // As of bundles: the schema drops a key `__proto__` in silence.
  normaliseFreeForm(value);
  return normaliseFreeForm(parsed.data);
};

/** One definition, new and whole. Takes and throws what `parseBundle` does, with paths such as `steps.0.config.minutes`. */
export const parseWorkflow = (value: unknown): Workflow => {
  const { $schema: _, ...workflow } = parseOne(workflowBody, value);
  return workflow;
};

/** What changes of a definition: at least one member. Throws as `parseWorkflow`. */
export const parseWorkflowPatch = (value: unknown): Partial<Workflow> => {
  const members = Object.entries(parseOne(workflowPatch, value));
  // What a host leaves undefined it does not change.
  const patch = Object.fromEntries(members.filter(([, member]) => member !== undefined));
  if (Object.keys(patch).length === 0)
    throw validationError({ body: [`must have at least one of ${Object.keys(workflowPatch.shape).join(', ')}`] });
  // Safe: the schema's own members, without those that are undefined.
  return patch as Partial<Workflow>;
};
