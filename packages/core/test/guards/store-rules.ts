import { aiStore } from '../../src/automation/ai/store.ts';
import { abTestStore } from '../../src/messaging/ab-tests/store.ts';
import { callbackSecretStore } from '../../src/messaging/callbacks/secrets/store.ts';
import { emailDomainStore } from '../../src/messaging/email/domains/store.ts';
import { countingStore } from '../../src/people/audiences/counting/store.ts';
import { audienceStore } from '../../src/people/audiences/store.ts';
import { profileStore } from '../../src/people/profiles/store.ts';
import { erasureStore } from '../../src/platform/erasure/store.ts';
import { idempotencyStore } from '../../src/platform/idempotency/store.ts';
import { callBucketStore, limitStore } from '../../src/platform/limits/store.ts';
import { secretStore } from '../../src/platform/tenancy/secrets/store.ts';
import { dataKeyStore, tenancyStore } from '../../src/platform/tenancy/store.ts';
import {
  AT,
  BY_KEY,
  ERASES,
  EXPIRES,
  erasing,
  guarded,
  later,
  plain,
  REPLACES,
  rule,
  type Statement,
} from './store-rule.ts';
import { DELIVERY_STATEMENTS } from './store-rules-of-delivery.ts';
import { IDENTITY_STATEMENTS } from './store-rules-of-identity.ts';

const SEALED = ['scopeId', 'channel', 'provider', 'sealed'] as const;
const LEASED = ['scopeId', 'id', 'fence'] as const;

/** Every update and delete of the stores, by file, in the order of the file. */
export const STORE_STATEMENTS: Readonly<Record<string, readonly Statement[]>> = {
  ...DELIVERY_STATEMENTS,
  ...IDENTITY_STATEMENTS,
  'messaging/ab-tests/store.ts': [
    guarded(
      'update abTests',
      ...[false, true].map((isOfVariants) =>
        rule('abTests', {
          match: ['scopeId', 'id', 'channel'],
          stops: [{ status: 'completed' }, ...(isOfVariants ? [{ assignedAt: AT }] : [])],
          isReported: true,
          call: (context, row) => abTestStore(context).change(row, row.channel, row.id, { name: 'new' }, isOfVariants),
        }),
      ),
    ),
  ],
  'automation/ai/store.ts': [
    plain('delete aiSettings', BY_KEY),
    guarded(
      'update aiSettings',
      rule('aiSettings', {
        match: ['orgId', 'version'],
        call: (context, row) => aiStore(context).setFaulty(row.orgId, row.version, AT, 'refused'),
      }),
    ),
    guarded(
      'update aiSettings',
      rule('aiSettings', {
        match: ['orgId', 'sealed'],
        call: (context, row) => aiStore(context).reseal(row.orgId, row.sealed ?? '', 'anew'),
      }),
    ),
    plain('delete aiUsage', EXPIRES),
  ],
  'insight/analytics/sends/store.ts': [plain('delete rows', EXPIRES)],
  'insight/analytics/store.ts': [plain('delete table', EXPIRES)],
  'insight/analytics/query-slots/store.ts': [
    plain('insert slots', 'of PostgreSQL alone: query-slots.postgres.test.ts'),
    plain('delete slots', 'of PostgreSQL alone: query-slots.postgres.test.ts'),
  ],
  'people/audiences/counting/store.ts': [
    guarded(
      'insert countedEvents',
      rule('countedEvents', {
        match: [],
        row: { recentLimit: 4 },
        stops: [{ recentLimit: 5 }, { recentLimit: 6 }],
        call: (context, { eventType }) => {
          const { db, tables } = context;
          return countingStore({ storage: { db }, tables }).begin({ scopeId: 1 }, eventType, 5, AT);
        },
      }),
    ),
    guarded(
      'update countedEvents',
      ...[null, 'cursor'].map((cursor) =>
        rule('countedEvents', {
          match: ['scopeId', 'eventType', 'version'],
          call: ({ db, tables }, row) => countingStore({ storage: { db }, tables }).advance(row, cursor),
        }),
      ),
    ),
    plain('delete countedEvents', BY_KEY),
    erasing('delete personEvents', 'personEvents', 'person', ({ db, tables }, names) =>
      countingStore({ storage: { db }, tables }).erase({ scopeId: 1 }, names),
    ),
  ],
  'people/audiences/store.ts': [
    plain('update t', 'under the lock of its scope'),
    guarded(
      'delete t',
      rule('audiences', {
        match: LEASED,
        row: { stage: 'remove' },
        stops: [{ stage: null }, { stage: 'build' }],
        call: (context, row) => audienceStore(context).drop(row),
      }),
    ),
    plain('delete members', 'of an audience that is being removed'),
    erasing('delete members', 'audienceMembers', 'person', (context, names) =>
      audienceStore(context).erase({ scopeId: 1 }, names),
    ),
    erasing('delete checks', 'audienceChecks', 'id', (context, names) =>
      audienceStore(context).erase({ scopeId: 1 }, names),
    ),
  ],
  'messaging/callbacks/secrets/store.ts': [
    plain('delete rows', BY_KEY),
    guarded(
      'update rows',
      rule('callbackSecrets', {
        match: SEALED,
        call: (context, row) => callbackSecretStore(context).reseal(row, row.sealed, 'anew'),
      }),
    ),
  ],
  'messaging/callbacks/store.ts': [
    plain('delete callbacks', ERASES),
    plain('delete events', ERASES),
    plain('delete callbacks', EXPIRES),
    plain('delete events', EXPIRES),
  ],
  'messaging/caps/store.ts': [
    plain('delete capEntries', 'rows that were read in the same transaction'),
    plain('delete capLocks', 'rows that were locked in the same transaction'),
    plain('delete capLocks', ERASES),
  ],
  'messaging/email/domains/store.ts': [
    plain('delete table', BY_KEY),
    plain('update table', REPLACES),
    guarded(
      'update table',
      rule('emailDomains', {
        match: [],
        row: { recheckAt: AT },
        stops: [{ recheckAt: later(1) }],
        meanwhile: [{ recheckAt: later(60_000) }],
        isReported: true,
        call: (context) => emailDomainStore(context).takeDue(AT, later(60_000)),
      }),
    ),
    guarded(
      'update table',
      rule('emailDomains', {
        match: ['scopeId', 'id', 'dkimSealed'],
        call: (context, row) => emailDomainStore(context).reseal(row, row.dkimSealed ?? '', 'anew'),
      }),
    ),
  ],
  'platform/erasure/store.ts': [
    guarded(
      'update erasures',
      rule('erasures', {
        match: LEASED,
        row: { userId: 'ann' },
        call: (context, row) => erasureStore(context).forget(row),
      }),
    ),
    guarded(
      'update erasures',
      rule('erasures', { match: LEASED, call: (context, row) => erasureStore(context).finish(row, AT) }),
    ),
    guarded(
      'update erasures',
      rule('erasures', { match: LEASED, call: (context, row) => erasureStore(context).putOff(row, AT) }),
    ),
  ],
  'people/events/expiry/store.ts': [
    plain('delete events', EXPIRES),
    plain('delete events', EXPIRES),
    plain('delete eventsByPerson', EXPIRES),
  ],
  'people/events/followed/store.ts': [
    plain('update eventCursors', 'of SQLite alone, in the transaction that deletes: people.db.test.ts'),
    plain('update eventsByPersonCursor', 'of SQLite alone, in the transaction that deletes: people.db.test.ts'),
    plain('update eventCursors', 'changes nothing, and holds the row'),
    plain('update eventCursors', 'of a row that is held'),
  ],
  'people/events/people/store.ts': [
    plain('delete ids', ERASES),
    plain('update events', 'rows that were read in the same transaction'),
    plain('delete events', ERASES),
    plain('update events', 'rows that were read in the same transaction'),
    plain('delete eventsByPerson', 'rows that were read in the same transaction'),
    plain('delete events', ERASES),
    plain('delete eventsByPerson', ERASES),
  ],
  'people/events/store.ts': [plain('delete raisedEvents', ERASES)],
  'platform/idempotency/store.ts': [
    guarded(
      'update keys',
      rule('idempotencyKeys', {
        match: ['scopeId', 'route', 'key', 'holder'],
        isReported: true,
        call: (context, row) => idempotencyStore(context).finish(row, row.holder, '{}', AT),
      }),
    ),
    plain('delete keys', BY_KEY),
    guarded(
      'delete keys',
      rule('idempotencyKeys', {
        match: [],
        row: { expiresAt: AT },
        stops: [{ expiresAt: later(1) }],
        isReported: true,
        call: (context) => idempotencyStore(context).sweepOfAll(AT, 10),
      }),
    ),
  ],
  'platform/limits/store.ts': [
    guarded(
      'update table',
      rule('mailLimits', {
        match: ['orgId', 'isProbation'],
        row: { tatUs: 1_000 },
        stops: [{ tatUs: 1_001 }],
        isReported: true,
        call: (context, row) => limitStore(context).take(row.orgId, row.isProbation, 500, { periodUs: 100, burst: 6 }),
      }),
    ),
    guarded(
      'update table',
      rule('mailLimits', {
        match: ['orgId', 'isProbation', 'tatUs'],
        isReported: true,
        call: (context, row) => limitStore(context).move(row, 99),
      }),
    ),
    plain('update table', 'gives back what was taken, whatever was taken since'),
    plain('delete table', BY_KEY),
    guarded(
      'delete table',
      rule('callBuckets', {
        match: [],
        row: { tatUs: 500 },
        stops: [{ tatUs: 501 }],
        isReported: true,
        call: (context) => callBucketStore(context).removeFull(500, 10),
      }),
    ),
  ],
  'platform/plans/store.ts': [
    plain('delete eventUsage', 'answers what it took, which its caller adds elsewhere in the same transaction'),
    plain('delete eventUsage', EXPIRES),
  ],
  'people/profiles/store.ts': [
    erasing('delete profiles', 'profiles', 'person', (context, names) =>
      profileStore(context).erase({ scopeId: 1 }, names),
    ),
    plain('delete aliases', ERASES),
    plain('update aliases', 'once nothing is left to move, which comes true once'),
  ],
  'messaging/templates/store.ts': [
    plain('update templates', 'under the lock of its project'),
    plain('delete templates', BY_KEY),
  ],
  'platform/tenancy/secrets/store.ts': [
    guarded(
      'update secrets',
      rule('secrets', {
        match: ['orgId', 'projectId', 'environment', 'name', 'sealed'],
        row: { environment: 'prod' },
        isReported: true,
        call: (context, row) =>
          secretStore(context).replaceSecret({ ...row, environment: 'prod' }, row.sealed, 'anew', AT),
      }),
    ),
    plain('delete secrets', BY_KEY),
    guarded(
      'update secrets',
      rule('secrets', {
        match: ['orgId', 'projectId', 'environment', 'name', 'sealed'],
        row: { environment: 'prod' },
        call: (context, row) => secretStore(context).resealSecret({ ...row, environment: 'prod' }, row.sealed, 'anew'),
      }),
    ),
  ],
  'platform/tenancy/store.ts': [
    plain('update orgs', REPLACES),
    guarded(
      'update apiKeys',
      rule('apiKeys', {
        match: ['id'],
        stops: [{ revokedAt: later(-1) }],
        call: (context, row) => tenancyStore(context).revokeKey(row.id, AT),
      }),
    ),
    guarded(
      'update dataKeys',
      rule('dataKeys', {
        match: ['orgId', 'kid', 'wrapped'],
        call: (context, row) => dataKeyStore(context).rewrap(row, row.wrapped, 'anew'),
      }),
    ),
  ],
  'jobs/store.ts': [plain('delete workers', BY_KEY), plain('delete workers', 'workers that died')],
  'automation/workflows/store.ts': [plain('delete workflows', 'under the lock of its project')],
};
