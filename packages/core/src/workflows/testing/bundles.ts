import fc from 'fast-check';
import { headerProblems } from '../../email/headers.ts';
import type { JsonValue } from '../../primitives/json-value.ts';
import type { Step } from '../../runs/steps/list.ts';
import type { Bundle, Workflow } from '../schema.ts';

/** A definition that does the least, with whatever a test is about. */
export const workflowOf = (over: Partial<Workflow> = {}): Workflow => ({
  name: 'Welcome',
  description: null,
  trigger: { eventType: 'user.signed_up' },
  steps: [],
  isActive: true,
  ...over,
});

/** A bundle of these definitions. */
export const bundleWith = (workflows: readonly unknown[]) => ({
  version: 1 as const,
  exportedAt: '2026-11-20T10:00:00.000Z',
  // Safe: what is none is there to be refused.
  workflows: workflows as readonly Workflow[],
});

// What both databases store as it is: code points without U+0000.
const text = (min: number, max: number) =>
  fc
    .string({ unit: 'binary', minLength: min, maxLength: max })
    .filter((one) => !one.includes('\0') && one !== '__proto__' && one.length <= max);
const line = (min: number, max: number) => text(min, max).filter((one) => !/[\r\n\u2028\u2029]/.test(one));
const optional = <Shape extends Record<string, fc.Arbitrary<unknown>>>(shape: Shape) =>
  fc.record(shape, { requiredKeys: [] });

const jsonValue = fc
  .jsonValue({ maxDepth: 3, stringUnit: 'binary' })
  .filter((value) => !/__proto__|\\u0000/.test(JSON.stringify(value)))
  // Safe: it is JSON; the library's own type for it allows undefined members, which it never makes.
  .map((value) => value as JsonValue);
const traits = fc.dictionary(text(1, 20), jsonValue, { maxKeys: 4, noNullPrototype: true });
const common = { name: text(1, 20), onError: fc.constantFrom('continue' as const, 'stop' as const) };

const body = fc.oneof(
  fc.record({ text: text(1, 50) }),
  fc.record({ html: text(1, 50), text: text(0, 20) }),
  fc.record({ bodyHtml: text(1, 50) }),
);
const headers = fc
  .dictionary(fc.stringMatching(/^[A-Za-z-]{1,12}$/), line(0, 20), { maxKeys: 3, noNullPrototype: true })
  .filter((one) => headerProblems(one).size === 0);
const email = fc
  .tuple(
    optional({
      ...common,
      to: line(1, 20),
      from: line(1, 20),
      replyTo: line(1, 20),
      subject: line(0, 20),
      preheader: line(0, 20),
      headers,
      tracking: optional({ opens: fc.boolean(), clicks: fc.boolean() }),
      class: fc.constantFrom('marketing' as const, 'transactional' as const),
    }),
    body,
  )
  .map(([rest, parts]) => ({ ...parts, ...rest }));
const update = fc
  .tuple(
    optional({
      ...common,
      setOnce: traits,
      unset: fc.array(text(1, 20), { maxLength: 3 }),
      increment: fc.dictionary(text(1, 20), fc.double({ noNaN: true, noDefaultInfinity: true }), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
      append: traits,
      remove: traits,
    }),
    traits,
  )
  .map(([rest, set]) => ({ ...rest, set }));
const wait = fc
  .tuple(optional(common), fc.integer({ min: 0, max: 525_600 }))
  .map(([rest, minutes]) => ({ minutes, ...rest }));

const step: fc.Arbitrary<Step> = fc
  .tuple(
    optional({ delayMinutes: fc.integer({ min: 0, max: 525_600 }) }),
    fc.oneof(
      email.map((config) => ({ config, type: 'send_email' as const })),
      update.map((config) => ({ config, type: 'update_profile' as const })),
      wait.map((config) => ({ config, type: 'wait' as const })),
    ),
  )
  .map(([delay, rest]) => ({ ...delay, ...rest }));

const workflow: fc.Arbitrary<Workflow> = fc.record({
  isActive: fc.boolean(),
  steps: fc.array(step, { maxLength: 4 }),
  trigger: fc
    .tuple(
      optional({ audienceId: fc.uuid(), filters: fc.dictionary(text(0, 20), text(0, 20), { noNullPrototype: true }) }),
      text(1, 40),
    )
    .map(([rest, eventType]) => ({ ...rest, eventType })),
  description: fc.option(text(0, 50), { nil: null }),
  name: text(1, 40),
});

/** Bundles that a project can hold as they are, with keys in no particular order. */
export const bundles: fc.Arbitrary<Bundle> = fc
  .uniqueArray(workflow, { selector: ({ name }) => name, maxLength: 5 })
  .map((workflows) => ({ workflows, exportedAt: '2026-11-20T10:00:00.000Z', version: 1 }));
