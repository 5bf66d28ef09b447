import { credentialStore } from '../../src/delivery/providers/store.ts';
import { geofenceStore } from '../../src/messaging/push/geofences/store.ts';
import { liveActivityStore } from '../../src/messaging/push/live-activities/store.ts';
import { pushStore } from '../../src/messaging/push/store.ts';
import { sendingErasure } from '../../src/messaging/sends/erase/store.ts';
import { HELD, MESSAGE_STATUSES, SEND_STATUSES, UNREACHABLE } from '../../src/messaging/sends/schema.ts';
import { sendingStore } from '../../src/messaging/sends/store.ts';
import { subscriptionStore } from '../../src/messaging/subscriptions/store.ts';
import { suppressionStore } from '../../src/messaging/suppressions/store.ts';
import { deliveryStore } from '../../src/webhooks/history/store.ts';
import { webhookStore } from '../../src/webhooks/store.ts';
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

const CREDENTIAL = ['scopeId', 'channel', 'provider', 'version'] as const;
const TOKEN = { sharedToken: 'token', sharedTokenIssuedAt: 7 };
const PARKED_ROW = { status: 'queued', reason: HELD } as const;
const OVER = ['delivered', 'failed', 'cancelled'] as const;

/** Updates and deletes of the stores that delivery needs, in the form of `STORE_STATEMENTS`. */
export const DELIVERY_STATEMENTS: Readonly<Record<string, readonly Statement[]>> = {
  'delivery/providers/store.ts': [
    guarded(
      'update credentials',
      rule('credentials', {
        match: ['scopeId', 'channel', 'provider'],
        row: { sealed: 'sealed' },
        stops: [{ sealed: null }],
        call: (context, row) => credentialStore(context).remove(row, AT),
      }),
    ),
    guarded(
      'update credentials',
      rule('credentials', {
        match: CREDENTIAL,
        call: (context, row) => credentialStore(context).prove(row, row.version, AT),
      }),
    ),
    guarded(
      'update credentials',
      rule('credentials', {
        match: CREDENTIAL,
        call: (context, row) => credentialStore(context).setCircuit(row, row.version, AT, 'refused'),
      }),
    ),
    guarded(
      'update credentials',
      ...(['sealed', 'sharedToken'] as const).map((column) =>
        rule('credentials', {
          match: ['scopeId', 'channel', 'provider', column],
          call: (context, row) => credentialStore(context).reseal(row, column, row[column] ?? '', 'anew'),
        }),
      ),
    ),
    guarded(
      'update credentials',
      rule('credentials', {
        match: CREDENTIAL,
        stops: [{ sharedTokenIssuedAt: 1 }],
        call: (context, row) => credentialStore(context).setSharedToken(row, row.version, null, TOKEN),
      }),
      rule('credentials', {
        match: [...CREDENTIAL, 'sharedTokenIssuedAt'],
        stops: [{ sharedTokenIssuedAt: null }],
        call: (context, row) =>
          credentialStore(context).setSharedToken(row, row.version, row.sharedTokenIssuedAt, TOKEN),
      }),
    ),
  ],
  'messaging/push/geofences/store.ts': [
    plain('update t', REPLACES),
    plain('delete t', BY_KEY),
    erasing('delete crossings', 'geofenceCrossings', 'person', (context, names) =>
      geofenceStore(context).erase({ scopeId: 1 }, names),
    ),
    plain('delete crossings', EXPIRES),
  ],
  'messaging/push/live-activities/store.ts': [
    plain('delete pending', 'answers what it took: of two callers one gets it'),
    plain('delete starts', EXPIRES),
    plain('update t', 'the newest registration has the device'),
    erasing('delete t', 'liveActivities', 'person', (context, names) =>
      liveActivityStore(context).erase({ scopeId: 1 }, names),
    ),
    erasing('delete starters', 'liveActivityStartTokens', 'person', (context, names) =>
      liveActivityStore(context).erase({ scopeId: 1 }, names),
    ),
    plain('delete pending', EXPIRES),
    guarded(
      'update t',
      rule('liveActivities', {
        match: [],
        row: { status: 'active', lastUpdatedAt: later(-1) },
        stops: [{ lastUpdatedAt: AT }, { status: 'ended' }, { status: 'invalidated' }],
        meanwhile: [{ status: 'invalidated' }, { lastUpdatedAt: AT }],
        call: (context) => liveActivityStore(context).endForgotten(AT, AT, 10),
      }),
    ),
  ],
  'messaging/push/store.ts': [
    plain('delete owners', 'of devices that the next statement removes'),
    erasing('delete t', 'pushTokens', 'person', (context, names) =>
      pushStore(context).erase({ scopeId: 1 }, names, 10),
    ),
    plain('update t', 'an owner switches a device off, also a second time'),
  ],
  'automation/runs/store.ts': [
    plain('delete runs', 'erased people, and what is past its time'),
    plain('delete runSteps', 'erased people, and what is past its time'),
    plain('delete runBudgets', 'with the run that they are of'),
  ],
  'messaging/sends/erase/store.ts': [
    plain('delete outboxMessages', ERASES),
    plain('delete messages', ERASES),
    plain('delete sends', ERASES),
    plain('update sends', 'raises the fence: whoever expands the send begins anew'),
    plain('update sends', 'takes out messages that were deleted in the same transaction'),
    guarded(
      'update sends',
      ...SEND_STATUSES.filter((status) => status === 'queued' || status === 'sending').map((status) =>
        rule('sends', {
          match: [],
          row: { status, reportedAt: null, targeted: 1, sent: 1, failed: 0, suppressed: 0 },
          stops: [
            { dueAt: AT },
            { targeted: 2 },
            ...SEND_STATUSES.filter((other) => other !== 'queued' && other !== 'sending').map((other) => ({
              status: other,
            })),
          ],
          call: (context, { id }) =>
            sendingErasure(context).takeOut({ scopeId: 1 }, id, { open: 0, deferred: 0 }, later(9)),
        }),
      ),
    ),
  ],
  'messaging/sends/outbox/store.ts': [plain('delete outboxMessages', 'everything that the outbox holds')],
  'messaging/sends/store.ts': [
    guarded(
      'update messages',
      ...([HELD, UNREACHABLE] as const).flatMap((reason) =>
        (['queued', 'deferred'] as const).map((status) =>
          rule('messages', {
            match: ['scopeId', 'channel'],
            row: { ...PARKED_ROW, reason, status },
            stops: [
              { reason: null },
              { reason: 'quiet_hours' },
              ...MESSAGE_STATUSES.filter((other) => other !== 'queued' && other !== 'deferred').map((other) => ({
                status: other,
              })),
            ],
            meanwhile: [{ status: 'cancelled' }, { status: 'sending' }, { reason: null }],
            call: (context, row) => sendingStore(context).resume(row, row.channel, { now: AT, after: null, limit: 10 }),
          }),
        ),
      ),
    ),
  ],
  'messaging/sends/sums/store.ts': [plain('update sends', 'rows that were locked in the same transaction')],
  'messaging/settings/store.ts': [plain('delete settings', BY_KEY)],
  'messaging/subscriptions/store.ts': [
    erasing('delete subscriptions', 'subscriptions', 'person', (context, names) =>
      subscriptionStore(context).erase({ scopeId: 1 }, names),
    ),
  ],
  'messaging/suppressions/store.ts': [
    plain('delete suppressions', 'entries that an owner names'),
    erasing('delete suppressions', 'suppressions', 'addressKey', (context, names) =>
      suppressionStore(context).erase({ scopeId: 1 }, names),
    ),
  ],
  'webhooks/history/store.ts': [
    guarded(
      'update t',
      ...OVER.map((status) =>
        rule('webhookDeliveries', {
          match: ['scopeId', 'id'],
          row: { status },
          stops: [
            { status: 'pending' },
            { status: 'held' },
            { step: { runId: '', path: '', attempt: 1, url: '', headers: {}, limitMs: 1, isSigned: false } },
          ],
          isReported: true,
          call: (context, row) => deliveryStore(context).replay(row, row.id, AT),
        }),
      ),
    ),
    guarded(
      'update t',
      ...(['failed', 'cancelled'] as const).map((status) =>
        rule('webhookDeliveries', {
          match: ['scopeId', 'id'],
          row: { status },
          stops: [{ status: 'pending' }, { status: 'held' }, { status: 'delivered' }],
          isReported: true,
          call: (context, row) => deliveryStore(context).recover(row, [row.id], AT),
        }),
      ),
    ),
    plain('delete t', 'deliveries of the bodies that the next statement removes'),
    erasing('delete b', 'webhookBodies', 'person', (context, people) =>
      deliveryStore(context).erase({ scopeId: 1 }, { people, addresses: [] }, 10),
    ),
    guarded(
      'delete t',
      rule('webhookDeliveries', {
        match: [],
        row: { createdAt: later(-1) },
        stops: [{ createdAt: AT }, { dueAt: AT }],
        call: (context) => deliveryStore(context).sweepOfAll(AT, 10),
      }),
    ),
    guarded(
      'delete b',
      rule('webhookBodies', {
        match: [],
        row: { createdAt: later(-1) },
        stops: [{ createdAt: AT }],
        call: (context) => deliveryStore(context).sweepOfAll(AT, 10),
      }),
    ),
  ],
  'webhooks/store.ts': [
    guarded(
      'update t',
      rule('webhooks', {
        match: ['scopeId', 'id', 'version'],
        isReported: true,
        call: (context, row) =>
          webhookStore(context).change(row, row.id, row.version, { description: 'new', updatedAt: AT }),
      }),
    ),
    plain('delete t', BY_KEY),
    guarded(
      'delete t',
      rule('webhooks', {
        match: [],
        row: { isPulled: true, createdAt: later(-1) },
        stops: [{ isPulled: false }, { createdAt: AT }],
        call: (context) => webhookStore(context).removePulledOfAll(AT),
      }),
    ),
    guarded(
      'update t',
      rule('webhooks', {
        match: ['scopeId', 'id', 'sealed'],
        call: (context, row) => webhookStore(context).reseal(row, row.sealed, 'anew'),
      }),
    ),
  ],
};
