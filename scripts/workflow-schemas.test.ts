import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { welcomeBundle } from '../packages/cli/src/examples/welcome-bundle.ts';
import { stepTypes } from '../packages/core/src/automation/runs/steps/list.ts';
import { defineWorkflow } from '../packages/core/src/automation/workflows/define.ts';
import { parseBundle, parseWorkflow } from '../packages/core/src/automation/workflows/schema.ts';
import { isBeckonError } from '../packages/core/src/foundation/errors.ts';
import { bundles } from '../packages/core/test/support/workflows/bundles.ts';
import { everyField } from '../packages/core/test/support/workflows/every-field.ts';
import { schemaText, workflowSchemas } from '../packages/core/test/support/workflows/json-schemas.ts';
import { CHANGE_KINDS, changesAt, mutated } from '../packages/core/test/support/workflows/mutations.ts';
import { examples } from '../packages/http/src/openapi/examples.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const files = workflowSchemas();
const [bundleSchema, workflowSchema] = files.map(({ schema }) => schema);
// Strict: a keyword that ajv does not know, or that cannot apply, is an error.
const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
const isBundle = ajv.compile(bundleSchema ?? false);
const isWorkflow = ajv.compile(workflowSchema ?? false);

/** Messages of the parser about a value; empty: none. */
const problemsOf = (parse: (value: unknown) => unknown, value: unknown): string[] => {
  try {
    parse(value);
    return [];
  } catch (error) {
    if (!isBeckonError(error, 'VALIDATION_ERROR')) throw error;
    const { details } = error;
    const fields = details && 'fieldErrors' in details ? Object.values(details.fieldErrors ?? {}) : [];
    return fields.flat().map(String);
  }
};
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const bundleOf = (...steps: readonly unknown[]) => ({
  version: 1,
  exportedAt: '2026-11-20T10:00:00.000Z',
  workflows: [
    {
      name: 'A',
      description: null,
      trigger: { eventType: 'a', filters: { a: 'b' }, audienceId: '3f2504e0-4f89-41d3-9a0c-0305e82c3301' },
      steps,
      isActive: true,
    },
  ],
});
const stepOf = (type: string, config: unknown) => bundleOf({ type, config });
const conditionOf = (when: unknown) => stepOf('wait', { minutes: 1, when });
const email = (over: object) => stepOf('send_email', { text: 'a', ...over });
const push = (over: object) => stepOf('send_push', { title: 'a', ...over });
const nestedIn = (levels: number): unknown =>
  levels === 0
    ? []
    : [{ type: 'branch', config: { split: [{ name: 'a', weight: 100, steps: nestedIn(levels - 1) }] } }];
const nots = (levels: number): unknown => (levels === 0 ? { trait: 'a', op: 'set' } : { not: nots(levels - 1) });
const many = (count: number, item: unknown): unknown[] => Array.from({ length: count }, () => item);
const wait = { type: 'wait', config: { minutes: 1 } };
const saving = { type: 'wait', config: { minutes: 1, saveAs: 'a' } };
const split = (...weights: number[]) =>
  stepOf('branch', { split: weights.map((weight) => ({ name: 'a', weight, steps: [] })) });
const [twin] = bundleOf().workflows;

/** A value with this many levels of lists. */
const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

/**
 * Rules of the parser that no keyword of JSON Schema can say: a message, and a bundle that the schema accepts all the
 * same. Some of them have keywords that say a part.
 */
const PARSER_ONLY: readonly (readonly [message: RegExp, example: unknown])[] = [
  [/^Nested deeper than 32 levels\.$/, stepOf('send_push', { title: 'a', data: { a: nested(40) } })],
  // Of values elsewhere in the file.
  [/^is already the name of workflows/, { ...bundleOf(), workflows: [twin, twin] }],
  [/^is already the saveAs of steps/, bundleOf(saving, saving)],
  [/^is the name of another branch/, split(40, 60)],
  [/^their weights must sum to 100$/, split(40)],
  [
    /^must have names that differ$/,
    stepOf('ai_action', { flavor: 'decide', saveAs: 'a', prompt: 'a', options: many(2, { name: 'a' }) }),
  ],
  [
    /^must name properties of the schema$/,
    stepOf('ai_action', {
      flavor: 'extract',
      saveAs: 'a',
      prompt: 'a',
      schema: { properties: { a: { type: 'string' } }, required: ['b'] },
    }),
  ],
  [/^occurs twice$/, push({ actions: many(2, { id: 'a', title: 'a' }) })],
  [/^must name each header once$/, stepOf('webhook', { url: 'https://x.test/', headers: { 'X-A': 'a', 'x-a': 'b' } })],
  [/^must have the smaller number first$/, conditionOf({ trait: 'a', op: 'between', value: [2, 1] })],
  [/^must be at least gte/, conditionOf({ event: 'a', op: 'performed', count: { gte: 2, lte: 1 } })],
  [/^is a key that FCM reserves$/, push({ data: { from: 'a' } })],
  // Of sizes across levels, and of bytes.
  [
    /^must hold at most 100 in all$/,
    bundleOf(...many(60, wait), {
      type: 'branch',
      config: { split: [{ name: 'a', weight: 100, steps: many(60, wait) }] },
    }),
  ],
  [/^must be at most 5 levels deep$/, bundleOf(...(nestedIn(6) as unknown[]))],
  [/^is nested deeper than 8 levels$/, conditionOf(nots(8))],
  [/^has more than 100 nodes$/, conditionOf({ any: many(2, { all: many(60, { trait: 'a', op: 'set' }) }) })],
  [
    /^must be JSON of at most 31 levels$/,
    stepOf('update_profile', { set: { a: JSON.parse('['.repeat(40) + ']'.repeat(40)) } }),
  ],
  [
    /^must be a JSON object or array of at most 32 levels$/,
    stepOf('webhook', { url: 'https://x.test/', body: JSON.parse('['.repeat(40) + ']'.repeat(40)) }),
  ],
  [/^at most 1000 array items$/, stepOf('update_profile', { set: { a: many(1_001, 1) } })],
  [/^must have at most \d+ bytes/, stepOf('webhook', { url: 'https://x.test/', body: { a: 'x'.repeat(30_000) } })],
  [
    /^must have at most 64 different letters beyond ASCII/,
    conditionOf({
      trait: 'a',
      op: 'contains',
      value: String.fromCodePoint(...Array.from({ length: 180 }, (_, at) => 0x460 + at)),
    }),
  ],
  // The parser counts UTF-16 units, JSON Schema code points.
  [/^must have at most \d+ characters/, conditionOf({ trait: 'a', op: 'contains', value: '😀'.repeat(600) })],
  // Of texts that no regular expression describes, or none that is readable.
  [
    /^must be user, org or an IANA time zone|^must be an IANA time zone/,
    stepOf('wait', { window: { from: '09:00', to: '10:00', timezone: 'Mars' } }),
  ],
  [/^must be (?:an ISO 8601 date|a date such as)/, stepOf('wait', { until: 'soon' })],
  [/^must be a number in E\.164/, stepOf('send_sms', { body: 'a', from: 'Not a sender' })],
  [/^must contain a \{\{variable\}\}$/, stepOf('update_profile', { increment: { a: '{{' } })],
  [/^must be an http or https URL$/, stepOf('send_sms', { body: 'a', mediaUrls: ['x'] })],
  [/^must be a URL|^must have no segment of dots/, push({ actions: [{ id: 'a', title: 'a', url: 'x' }] })],
  [/^must not be a javascript: or similar URL$/, push({ data: { a: 'javascript:a' } })],
  [
    /^must be the type of a file/,
    email({ attachments: [{ filename: 'a', contentType: 'multipart/mixed', content: 'aGk=' }] }),
  ],
  [/^is a header that Beckon sets itself$/, email({ headers: { Subject: 'a' } })],
];
const isParserOnly = (message: string): boolean => PARSER_ONLY.some(([rule]) => rule.test(message));

/** Bundles and workflows in JSON files and in the code blocks of pages. */
const written = (): (readonly [name: string, value: unknown])[] => {
  const read = (pattern: string) =>
    globSync(pattern, { cwd: root, exclude: (name) => String(name).includes('node_modules') }).map(
      (file) => [file, readFileSync(`${root}/${file}`, 'utf8')] as const,
    );
  const json = read('{examples,docs,bench,packages/*/{src,test}}/**/*.json').map(
    ([file, text]) => [file, text] as const,
  );
  const blocks = [...read('{docs,examples,packages}/**/*.md'), ...read('*.md')].flatMap(([file, text]) =>
    [...text.matchAll(/^\{$[\s\S]*?^\}$/gm)].map(([block]) => [file, block] as const),
  );
  return [...json, ...blocks].flatMap(([file, text]) => {
    if (!/"workflows"\s*:|"steps"\s*:/.test(text)) return [];
    const value: unknown = JSON.parse(text);
    const isFile = typeof value === 'object' && value !== null && ('workflows' in value || 'trigger' in value);
    return isFile ? [[file, value] as const] : [];
  });
};

describe('the JSON Schemas of workflow files', () => {
  it.each(files)('$file is what the zod schemas generate (npm run openapi)', ({ file, schema }) => {
    expect(readFileSync(file, 'utf8') === schemaText(schema)).toBe(true);
  });

  it('every schema has an id, a title and a description, and every definition a title', () => {
    for (const { schema } of files) {
      expect(schema).toMatchObject({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: expect.stringMatching(/^https:.*\.schema\.json$/),
        title: expect.any(String),
        description: expect.any(String),
      });
      for (const part of Object.values(schema['$defs'] ?? {})) expect(part).toHaveProperty('title');
    }
  });

  it('every bundle and workflow in examples, pages and the API description is accepted by the schema and the parser', () => {
    const found = written();
    expect(found.map(([file]) => file)).toEqual(
      expect.arrayContaining(['examples/github-digest/github-digest.bundle.json', 'docs/guides/workflows.md']),
    );
    const whole = [
      ...found,
      ['welcome', welcomeBundle],
      ['API', examples.BundleInput],
      ['API', examples.WorkflowInput],
    ];
    for (const [file, value] of whole) {
      const isWhole = typeof value === 'object' && value !== null && 'workflows' in value;
      const [check, parse] = isWhole ? [isBundle, parseBundle] : [isWorkflow, parseWorkflow];
      check(value);
      expect([file, check.errors, problemsOf(parse, value)]).toEqual([file, null, []]);
    }
  });

  it('steps that use every field are accepted by the schema and the parser', () => {
    for (const step of everyField) {
      const bundle = bundleOf(asJson(step));
      isBundle(bundle);
      expect([step, isBundle.errors, problemsOf(parseBundle, bundle)]).toEqual([step, null, []]);
    }
  });

  it('the steps that tests change use every key of every config', () => {
    for (const { shape } of stepTypes.members) {
      const used = everyField
        .filter(({ type }) => type === shape.type.value)
        .flatMap(({ config }) => Object.keys(config));
      expect(Object.keys(shape.config.shape).filter((key) => !['when', ...used].includes(key))).toEqual([]);
    }
  });

  it('a workflow file needs no description and no isActive, and may name its schema', () => {
    const workflow = defineWorkflow({
      $schema: './workflow.schema.json',
      name: 'A',
      trigger: { eventType: 'a' },
      steps: [],
    });
    expect(isWorkflow(workflow)).toBe(true);
    expect(parseWorkflow(workflow)).toEqual({
      name: 'A',
      description: null,
      trigger: { eventType: 'a' },
      steps: [],
      isActive: false,
    });
    expect(isBundle({ $schema: './bundle.schema.json', ...bundleOf() })).toBe(true);
    expect(parseBundle({ $schema: './bundle.schema.json', ...bundleOf() })).toEqual(bundleOf());
  });

  it.each([
    ['another version', { ...bundleOf(), version: 2 }],
    ['an unknown key of the bundle', { ...bundleOf(), orgId: 'o' }],
    ['a $schema that is no text', { ...bundleOf(), $schema: 1 }],
    ['a workflow without isActive', { ...bundleOf(), workflows: [{ ...twin, isActive: undefined }] }],
    ['a $schema within a workflow of a bundle', { ...bundleOf(), workflows: [{ ...twin, $schema: 'a' }] }],
    ['an unknown step type', stepOf('send_fax', {})],
    ['the config of another step type', stepOf('wait', { text: 'a' })],
    ['a misspelt key', email({ subjct: 'a' })],
    ['an email without a body', stepOf('send_email', { subject: 'a' })],
    ['an email with an empty body', stepOf('send_email', { text: '' })],
    ['two HTML bodies', email({ html: 'a', bodyHtml: 'a' })],
    ['a subject of two lines', email({ subject: 'a\nb' })],
    ['a critical push without a critical alert', push({ interruptionLevel: 'critical' })],
    ['a wait for two things', stepOf('wait', { minutes: 1, until: '2027-01-01' })],
    ['a wait of 1.5 minutes', stepOf('wait', { minutes: 1.5 })],
    [
      'a branch step with else and a split',
      stepOf('branch', { split: [{ name: 'a', weight: 100, steps: [] }], else: { steps: [] } }),
    ],
    ['a choice without options', stepOf('ai_action', { flavor: 'decide', saveAs: 'a', prompt: 'a' })],
    ['a wrong operator', conditionOf({ trait: 'a', op: 'equals', value: 1 })],
    ['a number compared with a text', conditionOf({ trait: 'a', op: 'gt', value: '1' })],
    ['an unknown built-in field', conditionOf({ trait: 'user.mail', op: 'set' })],
    ['a text operator for a date', conditionOf({ trait: 'user.createdAt', op: 'contains', value: 'a' })],
    [
      'a relative date in where',
      conditionOf({
        event: 'a',
        op: 'performed',
        where: [{ path: 'a', op: 'within_last', value: { n: 1, unit: 'days' } }],
      }),
    ],
    ['a span of 200 years', conditionOf({ trait: 'a', op: 'within_last', value: { n: 73_000, unit: 'days' } })],
  ])('the schema and the parser both refuse a file: %s', (_, value) => {
    const bundle = asJson(value);
    expect([isBundle(bundle), problemsOf(parseBundle, bundle).length > 0]).toEqual([false, true]);
  });

  it.each(PARSER_ONLY)('only the parser, not the schema, checks %s', (rule, bundle) => {
    expect(isBundle(bundle)).toBe(true);
    expect(problemsOf(parseBundle, bundle)).toEqual(expect.arrayContaining([expect.stringMatching(rule)]));
  });

  describe('beside the rules that only the parser checks', () => {
    const small = fc.constantFrom(...everyField).map((step) => bundleOf(asJson(step)));
    const agree = (bundle: unknown): void => {
      const problems = problemsOf(parseBundle, bundle);
      const isAccepted = isBundle(bundle);
      if (problems.length === 0) expect(isBundle.errors).toBe(null);
      else if (isAccepted) expect(problems.filter((one) => !isParserOnly(one))).toEqual([]);
    };

    it('schema and parser agree about bundles with up to three changes', () => {
      const changes = fc.array(fc.tuple(fc.nat(CHANGE_KINDS - 1), fc.nat(), fc.nat(), fc.nat()), { maxLength: 3 });
      const numRuns = 500;
      fc.assert(
        fc.property(small, changes, (bundle, list) => agree(mutated(bundle, list))),
        // Shrinking a bundle takes minutes, and the message names the rule anyway.
        { numRuns, endOnFailure: true },
      );
      fc.assert(
        fc.property(bundles, changes, (bundle, list) => agree(mutated(asJson(bundle), list))),
        { endOnFailure: true },
      );
    });

    it('schema and parser agree about every single change at a random place', () => {
      fc.assert(
        fc.property(small, fc.nat(), fc.nat(), (bundle, at, seed) => {
          for (const change of changesAt(at, seed)) agree(mutated(bundle, [change]));
        }),
        { numRuns: 20, endOnFailure: true },
      );
    });
  });
});
