// Random valid nested steps of every type, for properties of all workflows.

import fc from 'fast-check';
import type { StoredStep } from '../../../src/automation/runs/cursor.ts';
import type { Step } from '../../../src/automation/runs/steps/list.ts';
import type { JsonValue } from '../../../src/foundation/json-value.ts';
import { headerProblems } from '../../../src/messaging/email/headers.ts';
import { DAYS } from '../../../src/messaging/settings/schema.ts';
import type { Condition } from '../../../src/people/audiences/predicate/types.ts';

/** Text that both databases store unchanged: code points without U+0000. */
export const text = (min: number, max: number) =>
  fc
    .string({ unit: 'binary', minLength: min, maxLength: max })
    .filter((one) => !one.includes('\0') && one !== '__proto__' && one.length <= max);
const line = (min: number, max: number) => text(min, max).filter((one) => !/[\r\n\u2028\u2029]/.test(one));
/** Any subset of these members. */
export const optional = <Shape extends Record<string, fc.Arbitrary<unknown>>>(shape: Shape) =>
  fc.record(shape, { requiredKeys: [] });

const jsonValue = fc
  .jsonValue({ maxDepth: 3, stringUnit: 'binary' })
  .filter((value) => !/__proto__|\\u0000/.test(JSON.stringify(value)))
  // Safe: it is JSON; the library's type allows undefined members, which it never creates.
  .map((value) => value as JsonValue);
const traits = fc.dictionary(text(1, 20), jsonValue, { maxKeys: 4, noNullPrototype: true });

const scalar = fc.oneof(text(1, 10), fc.integer(), fc.boolean());
const tests = fc.oneof(
  fc.record({ op: fc.constantFrom('set' as const, 'not_set' as const) }),
  fc.record({ op: fc.constantFrom('eq' as const, 'neq' as const, 'includes' as const), value: scalar }),
  fc.record({ value: fc.integer(), op: fc.constantFrom('gt' as const, 'lte' as const) }),
  fc.record({ value: text(1, 10), op: fc.constantFrom('contains' as const, 'starts_with' as const) }),
);
const subject = fc.oneof(
  fc.record({ trait: text(1, 10).filter((name) => !name.startsWith('user.')) }),
  fc.record({
    path: fc.constantFrom('event.plan', 'event.a.b', 'trait.plan', 'steps.s0.sendId', 'steps.none.text'),
  }),
);
const leaf = fc.tuple(tests, subject).map(([test, of]): Condition => ({ ...test, ...of }));
const { condition } = fc.letrec<{ condition: Condition }>((tie) => {
  const below = fc.array(tie('condition'), { minLength: 1, maxLength: 2 });
  return {
    condition: fc.oneof(
      { maxDepth: 2 },
      leaf,
      fc.record({ all: below }),
      fc.record({ any: below }),
      fc.record({ not: tie('condition') }),
    ),
  };
});
/** Placeholder name of a saving step; names are assigned at the end. */
const SAVES = 'saves';
const common = {
  name: text(1, 20),
  onError: fc.constantFrom('continue' as const, 'stop' as const),
  when: condition,
  saveAs: fc.constant(SAVES),
};

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
      category: fc.stringMatching(/^[\wÀ-ž]{1,20}$/),
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
const push = fc
  .tuple(
    optional({
      ...common,
      body: line(0, 20),
      data: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), text(0, 10), { maxKeys: 3, noNullPrototype: true }),
      platforms: fc.constantFrom(['ios' as const], ['android' as const, 'web' as const]),
      ttlSeconds: fc.integer({ min: 0, max: 100 }),
    }),
    line(1, 20),
  )
  .map(([rest, title]) => ({ ...rest, title }));
const sms = fc
  .tuple(optional({ ...common, class: fc.constantFrom('marketing' as const, 'transactional' as const) }), text(1, 20))
  .map(([rest, said]) => ({ ...rest, body: said }));

const time = fc
  .tuple(fc.integer({ min: 10, max: 23 }), fc.integer({ min: 10, max: 59 }))
  .map((parts) => parts.join(':'));
const wait = fc
  .tuple(
    optional(common),
    fc.oneof(
      fc.record({ minutes: fc.integer({ min: 0, max: 525_600 }) }),
      fc.record({
        offsetMinutes: fc.integer({ min: -100, max: 100 }),
        until: fc.constantFrom('{{event.at}}', '2026-12-24T18:00:00Z'),
      }),
      fc.record({
        window: fc.record(
          {
            timezone: fc.constantFrom('user', 'org', 'Europe/Paris'),
            to: time,
            from: time,
            days: fc.uniqueArray(fc.constantFrom(...DAYS), { minLength: 1 }),
          },
          { requiredKeys: ['from', 'to'] },
        ),
      }),
      fc.record({
        event: fc.record(
          {
            onTimeout: fc.constantFrom('continue' as const, 'exit' as const),
            timeoutMinutes: fc.integer({ min: 1, max: 525_600 }),
            filters: fc.dictionary(text(0, 20), text(0, 20), { maxKeys: 3, noNullPrototype: true }),
            eventType: text(1, 40),
          },
          { requiredKeys: ['eventType', 'timeoutMinutes', 'onTimeout'] },
        ),
      }),
    ),
  )
  .map(([rest, kind]) => ({ ...kind, ...rest }));

const asks = fc
  .tuple(
    optional({
      ...common,
      model: text(1, 20),
      maxOutputTokens: fc.integer({ min: 1, max: 100 }),
      temperature: fc.nat(2),
    }),
    text(1, 30),
    fc.oneof(
      fc.constant({ flavor: 'generate' as const }),
      fc.record({
        options: fc.constant([{ name: 'yes' }, { description: 'Or not.', name: 'no' }]),
        fallback: fc.boolean(),
        flavor: fc.constant('decide' as const),
      }),
      fc.record({
        schema: fc.constant({
          required: ['b'],
          properties: {
            b: { type: 'string' as const, enum: ['x', 'y'] },
            a: { description: 'A.', type: 'number' as const },
          },
          type: 'object' as const,
          additionalProperties: false as const,
        }),
        flavor: fc.constant('extract' as const),
      }),
    ),
  )
  .map(([rest, prompt, flavor]) => ({ ...flavor, ...rest, prompt, saveAs: SAVES }));

const posts = optional({
  ...common,
  signing: fc.boolean(),
  timeoutSeconds: fc.integer({ min: 1, max: 10 }),
  body: fc.oneof(traits, fc.constant(['{{event.plan}}', 1, null])),
  headers: fc.constantFrom({ 'X-B': '{{trait.plan}}', Authorization: 'Bearer {{secret.TOKEN}}' }, { 'X-A': 'a' }),
  method: fc.constant('POST' as const),
}).map((rest) => ({ ...rest, url: 'https://shop.example/{{event.plan}}?q={{trait.plan}}' }));

/** Weights with the sum 100. */
const shares = (arms: number): number[] =>
  Array.from({ length: arms }, (_, at) => (at === 0 ? 100 - 10 * (arms - 1) : 10));
const armOf = (steps: fc.Arbitrary<StoredStep[]>) =>
  fc.record({ exit: fc.boolean(), steps }, { requiredKeys: ['steps'] });
const branchOf = (steps: fc.Arbitrary<StoredStep[]>) => {
  const arm = armOf(steps);
  const arms = fc.array(arm, { minLength: 1, maxLength: 3 });
  const byCondition = fc
    .tuple(fc.array(fc.tuple(arm, condition), { minLength: 1, maxLength: 3 }), fc.option(arm, { nil: undefined }))
    .map(([list, rest]) => ({
      ...(rest ? { else: rest } : {}),
      branches: list.map(([one, when], at) => ({ ...one, when, name: `arm ${at}` })),
    }));
  const byChance = arms.map((list) => ({
    split: list.map((one, at) => ({ ...one, weight: shares(list.length)[at] ?? 0, name: `arm ${at}` })),
  }));
  return fc.tuple(optional(common), fc.oneof(byCondition, byChance)).map(([rest, ways]) => ({ ...ways, ...rest }));
};

const delays = optional({ delayMinutes: fc.integer({ min: 0, max: 525_600 }) });
const typed = <Type extends string>(type: Type, config: fc.Arbitrary<Readonly<Record<string, unknown>>>) =>
  fc.tuple(delays, config).map(([delay, own]): StoredStep => ({ ...delay, config: own, type }));

const { step } = fc.letrec<{ step: StoredStep; steps: StoredStep[] }>((tie) => ({
  steps: fc.array(tie('step'), { maxLength: 2 }),
  step: fc.oneof(
    { maxDepth: 2 },
    fc.oneof(
      typed('send_email', email),
      typed('send_push', push),
      typed('send_sms', sms),
      typed('update_profile', update),
      typed('wait', wait),
      typed('ai_action', asks),
      typed('webhook', posts),
    ),
    typed('branch', branchOf(tie('steps'))),
  ),
}));

/** Gives each saving step a unique name. */
const named = (steps: readonly StoredStep[]): StoredStep[] => {
  let count = 0;
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        if (key !== 'saveAs' || item !== SAVES) return [key, walk(item)];
        count += 1;
        return [key, `s${count - 1}`];
      }),
    );
  };
  // Safe: the same steps with other names.
  return walk(steps) as StoredStep[];
};

/** Random steps of one workflow, of every type, with keys in any order. */
export const randomSteps: fc.Arbitrary<Step[]> = fc
  .array(step, { maxLength: 4 })
  .map(named)
  // Safe: valid configs, as every test of a bundle verifies by parsing.
  .map((steps) => steps as Step[]);
