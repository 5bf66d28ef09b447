// JSON Schemas of workflow files, from the zod schemas that an import checks. Editors complete and check files with
// them. Where zod has a refinement, `jsonKeywords` has its keywords; `scripts/workflow-schemas.test.ts` lists what no
// keyword can say.
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { STEP_TYPES } from '../../../src/automation/runs/steps/catalog.ts';
import { stepTypes } from '../../../src/automation/runs/steps/list.ts';
import { bundleSchema, workflowBody } from '../../../src/automation/workflows/schema.ts';
import { jsonKeywords } from '../../../src/foundation/json-keywords.ts';
import { treeShapes } from '../../../src/people/audiences/predicate/shape.ts';

type Json = Readonly<Record<string, unknown>>;

/** Where editors find the schemas without the package; `bundle export` writes the first one. */
const URLS = {
  bundle: 'https://unpkg.com/@beckon/core/bundle.schema.json',
  workflow: 'https://unpkg.com/@beckon/core/workflow.schema.json',
} as const;
const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const placeOf = (name: string): string => `#/$defs/${name}`;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `send_email` as `SendEmailStep`. */
const nameOf = (type: string): string => type.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
/** `SendEmailStep` as `Send email step`. */
const titleOf = (name: string): string => {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};

/** What zod writes beside the point: ids of its own, and keys that may be any text. */
const tidy = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(tidy);
  if (!isObject(value)) return value;
  const { $schema: _schema, $id: _id, ...rest } = value;
  const isAnyName = (key: string): boolean =>
    key === 'propertyNames' && JSON.stringify(rest[key]) === '{"type":"string"}';
  return Object.fromEntries(
    Object.entries(rest).flatMap(([key, one]) => {
      if (isAnyName(key)) return [];
      if (key !== 'properties' || !isObject(one)) return [[key, tidy(one)]];
      return [[key, Object.fromEntries(Object.entries(one).map(([name, property]) => [name, tidy(property)]))]];
    }),
  );
};

/** What each step type does. */
const STEPS: Readonly<Record<(typeof STEP_TYPES)[number], string>> = {
  send_email: 'Sends an email to the user of the run, or to an address.',
  send_push: 'Sends a push to every device of the user.',
  send_sms: 'Sends an SMS to the user of the run, or to a number.',
  update_profile: 'Changes traits of the user.',
  webhook: 'Posts JSON to a URL and waits for the response.',
  branch: 'Chooses the steps of one branch, by conditions or at random.',
  wait: 'Waits for some minutes, a date, hours of the day or an event.',
  ai_action: 'Asks a model to write a text, to choose an option or to find values.',
};
const ABOUT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(STEP_TYPES.map((type) => [`${nameOf(type)}Step`, STEPS[type]])),
  Step: 'A step. Its type decides what its config holds.',
  Trigger: 'What starts a run.',
  Workflow: 'A workflow of the bundle.',
};
const about = (name: string): Json => (ABOUT[name] === undefined ? {} : { description: ABOUT[name] });

/** Every named part, with references between them. */
const definitions = (): Record<string, Json> => {
  const registry = z.registry<{ id: string }>();
  const { Condition, ConditionInput } = treeShapes();
  const named = {
    Bundle: bundleSchema,
    Workflow: bundleSchema.shape.workflows.element,
    WorkflowFile: workflowBody,
    Trigger: workflowBody.shape.trigger,
    Step: stepTypes.schema,
    ...Object.fromEntries(stepTypes.members.map((step) => [`${nameOf(step.shape.type.value)}Step`, step])),
    Condition,
    ConditionInput,
  };
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    unrepresentable: 'any',
    uri: placeOf,
    override: ({ zodSchema, jsonSchema }) => {
      const { $ref, ...keywords } = jsonKeywords.get(zodSchema) ?? {};
      Object.assign(jsonSchema, keywords, typeof $ref === 'string' ? { $ref: placeOf($ref) } : {});
    },
  });
  return Object.fromEntries(
    // Safe: tidy gives an object for an object.
    Object.entries(schemas).map(([name, schema]) => [
      name,
      { title: titleOf(name), ...about(name), ...(tidy(schema) as Json) },
    ]),
  );
};

const fileOf = (name: string): string => fileURLToPath(new URL(`../../../${name}.schema.json`, import.meta.url));

/** The schema of a bundle and of a file with one workflow, and where the package keeps them. Throws nothing. */
export const workflowSchemas = (): { readonly file: string; readonly schema: Json }[] => {
  const { Bundle = {}, Workflow = {}, WorkflowFile = {}, ...$defs } = definitions();
  const head = (kind: keyof typeof URLS): Json => ({
    $schema: DIALECT,
    $id: URLS[kind],
  });
  return [
    {
      file: fileOf('bundle'),
      schema: {
        ...head('bundle'),
        ...Bundle,
        title: 'Workflow bundle',
        description: 'Workflows of a Beckon project, for `beckon bundle import`.',
        $defs: { Workflow, ...$defs },
      },
    },
    {
      file: fileOf('workflow'),
      schema: {
        ...head('workflow'),
        ...WorkflowFile,
        title: 'Workflow',
        description: 'One workflow of a Beckon project.',
        $defs,
      },
    },
  ];
};

/** The text of a schema as the package has it. */
export const schemaText = (schema: Json): string => `${JSON.stringify(schema, null, 2)}\n`;
