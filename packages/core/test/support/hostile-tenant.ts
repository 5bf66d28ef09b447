// The most expensive definitions that a tenant may create within its limits, and the most expensive requests for them
// with a secret or public key. Used like hostile.ts.

import type { HostileRequest } from './hostile.ts';

/** A request of the tenant, or of anyone with its public key. */
export type TenantRequest = HostileRequest & {
  readonly method?: 'GET' | 'POST' | 'PATCH';
  readonly key: 'public' | 'secret';
  /** It takes several turns of the event loop, so that others are answered meanwhile. */
  readonly isLong?: true;
};

const many = <T>(count: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, at) => make(at));

/** Leaves of one predicate. Source: semantics, Predicates (100 nodes). */
const LEAVES = 98;
const anyOf = (leaf: (at: number) => object): object => ({ any: many(LEAVES, leaf) });
const LONG_TEXT = '\u0429'.repeat(7_500);
const ALIKE = 'a'.repeat(15_000);
const TAGS = many(900, (at) => `tag-${at}`);

/** Segments with expensive predicates. */
export const dearAudiences: readonly { readonly name: string; readonly predicate: object }[] = [
  ...many(10, (audience) => ({
    name: `text ${audience}`,
    predicate: anyOf((at) => ({ trait: 'bio', op: 'contains', value: `\u0449\u044a${audience}x${at}` })),
  })),
  ...many(4, (audience) => ({
    name: `repeated ${audience}`,
    predicate: anyOf((at) => ({
      trait: 'alike',
      op: 'contains',
      value: `${'a'.repeat(200 + at)}b${'a'.repeat(200 + audience)}`,
    })),
  })),
  ...many(4, (audience) => ({
    name: `list ${audience}`,
    predicate: anyOf((at) => ({ trait: 'tags', op: 'includes_all', value: [`tag-${at}`, `none-${audience}`] })),
  })),
  ...many(2, (audience) => ({
    name: `where ${audience}`,
    predicate: {
      event: 'order',
      op: 'performed',
      where: many(LEAVES - 1, (at) => ({ path: 'note', op: 'not_contains', value: `\u044a${audience}y${at}` })),
    },
  })),
];

/** Number of workflows with one trigger. Source: contract (100 for one event name). */
export const DEAR_WORKFLOWS = 100;
const step = (config: object): object => ({ type: 'branch', config });
/** A bundle: workflows with one trigger, each with filters, and one with a branch of many leaves. */
export const dearBundle = {
  version: 1,
  exportedAt: '2026-03-01T10:00:00.000Z',
  workflows: [
    ...many(DEAR_WORKFLOWS, (at) => ({
      ...{ name: `listens ${at}`, description: null, isActive: true, steps: [] },
      trigger: { eventType: 'boom', filters: { kind: 'x', number: String(at % 2) } },
    })),
    {
      ...{ name: 'branches', description: null, isActive: true, trigger: { eventType: 'branching' } },
      steps: [
        step({
          branches: many(30, (arm) => ({
            name: `arm ${arm}`,
            when: anyOf((at) => ({ path: 'event.note', op: 'contains', value: `\u0449\u044a${arm}z${at}` })),
            steps: [],
          })),
        }),
      ],
    },
  ],
};

const identify = (userId: string, traits: object): string => JSON.stringify({ userId, traits });
const event = (eventType: string, rest: object): object => ({ module: 'm', eventType, ...rest });

/** Fills the profiles that previews evaluate. */
export const dearPeople: readonly TenantRequest[] = many(40, (person) => ({
  ...{ says: 'fills a profile', key: 'public', path: '/identify' },
  body: identify(`full-${person}`, { bio: `${LONG_TEXT}${person}` }),
}));

const predicateOf = (leaves: number): object => ({
  any: many(leaves, (at) => ({
    trait: 'bio',
    op: 'contains',
    value: `\u0449\u0430\u0431\u0432\u0433\u0434\u0435\u0436${at}`,
  })),
});

export type TenantIds = { readonly audience: string; readonly branching: string };

/**
 * Each of them is answered with 200 or 201.
 *
 * @param round another one changes profiles again
 */
export const tenantRequests = (ids: TenantIds, round: number): readonly TenantRequest[] => [
  {
    ...{ says: '15 KB of text beyond ASCII that 980 leaves test', key: 'public', path: '/identify', isLong: true },
    body: identify(`u1-${round}`, { bio: `${LONG_TEXT}${round}` }),
  },
  {
    ...{ says: '15 KB of one letter that 392 repetitive patterns are searched in', key: 'public', path: '/identify' },
    body: identify(`u2-${round}`, { alike: `${ALIKE}${round}` }),
  },
  {
    ...{ says: 'a list of 900 texts that 392 leaves test', key: 'public', path: '/identify' },
    body: identify(`u3-${round}`, { tags: [...TAGS, `round-${round}`] }),
  },
  {
    ...{
      says: '100 new people whom every audience is evaluated for',
      key: 'public',
      path: '/events/batch',
      isLong: true,
    },
    body: JSON.stringify({
      batch: many(100, (at) => event('seen', { userId: `new-${round}-${at}`, traits: { bio: '\u0429'.repeat(150) } })),
    }),
  },
  {
    ...{ says: '20 events that 100 workflows listen to', key: 'public', path: '/events/batch', isLong: true },
    body: JSON.stringify({
      batch: many(20, (at) => event('boom', { userId: `b-${at}`, properties: { kind: 'x', number: 1 } })),
    }),
  },
  {
    ...{ says: '500 events that start no workflow of 100', key: 'public', path: '/events/batch' },
    body: JSON.stringify({
      batch: many(500, (at) => event('boom', { userId: `b-${at}`, properties: { kind: 'y', number: 1 } })),
    }),
  },
  {
    ...{
      says: '20 events of one person that two leaves with 97 conditions test',
      key: 'public',
      path: '/events/batch',
    },
    body: JSON.stringify({
      batch: many(20, () => event('order', { userId: 'u4', properties: { note: '\u0429'.repeat(1_500) } })),
    }),
  },
  {
    ...{ says: 'a preview of 1 KB', key: 'secret', path: '/audiences/preview', isLong: true },
    body: JSON.stringify({ predicate: predicateOf(12) }),
  },
  {
    ...{ says: 'a preview of 10 KB', key: 'secret', path: '/audiences/preview', isLong: true },
    body: JSON.stringify({ predicate: predicateOf(LEAVES) }),
  },
  {
    ...{ says: 'a changed profile that 980 leaves test', key: 'secret', method: 'PATCH', path: '/profiles/full-1' },
    body: JSON.stringify({ traits: { bio: `${LONG_TEXT}!${round}` } }),
  },
  {
    ...{ says: 'the explanation of an audience', key: 'secret', method: 'GET', body: '' },
    path: `/audiences/${ids.audience}/explain/full-1`,
  },
  {
    ...{
      says: 'a simulated branch of 2,940 leaves',
      key: 'secret',
      path: `/automation/workflows/${ids.branching}/simulate`,
    },
    body: JSON.stringify({ event: { userId: 'full-1', properties: { note: LONG_TEXT } } }),
  },
];
