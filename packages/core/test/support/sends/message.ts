import { scopeOf } from '../../../src/foundation/scope.ts';
import type { ReadyMessage } from '../../../src/messaging/sends/deliver/message.ts';
import type { MessageChange } from '../../../src/messaging/sends/finalize/change.ts';
import { ANY_SENDER } from '../../../src/messaging/sends/senders.ts';
import type { MessageRow } from '../../../src/messaging/sends/store.ts';
import { viewOf } from '../../../src/messaging/settings/view.ts';
import { testScope } from '../scopes.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const SCOPE = scopeOf(testScope({ orgId: 'org-a', projectId: 'app', environment: 'test' }));

/** A queued email as stored. */
export const messageRow = (more: Partial<MessageRow> = {}): MessageRow => ({
  ...SCOPE,
  id: 'm1',
  sendId: 's1',
  channel: 'email',
  person: null,
  address: 'ann@example.com',
  addressName: null,
  tokenId: null,
  facts: {},
  role: 'to',
  status: 'queued',
  reason: null,
  errorCode: null,
  error: null,
  provider: null,
  providerId: null,
  attempt: 0,
  createdAt: NOW,
  deferredAt: null,
  deferredUntil: null,
  sentAt: null,
  deliveredAt: null,
  openedAt: null,
  clickedAt: null,
  lastOpenedAt: null,
  lastClickedAt: null,
  clickAction: null,
  complainedAt: null,
  unsubscribedAt: null,
  machineReason: null,
  machineOpenedAt: null,
  machineClickedAt: null,
  abTestId: null,
  variant: null,
  abTestUnit: null,
  convertedAt: null,
  finishedAt: null,
  priority: 0,
  dueAt: NOW,
  leaseUntil: null,
  fence: 1,
  ...more,
});

/** The change of an email that its provider accepted. */
export const messageChange = (more: Partial<MessageChange> = {}): MessageChange => ({
  ...SCOPE,
  messageId: 'm1',
  sendId: 's1',
  channel: 'email',
  person: null,
  from: 'sending',
  status: 'sent',
  reason: null,
  errorCode: null,
  error: null,
  providerId: null,
  at: NOW,
  attempt: 1,
  fence: 1,
  dueAt: null,
  step: null,
  feedback: null,
  refused: null,
  ...more,
});

/** A leased email with all facts, and with a provider that is never called. */
export const readyMessage = (row: Partial<MessageRow> = {}, more: Partial<ReadyMessage> = {}): ReadyMessage => ({
  row: messageRow(row),
  // Safe: gates only check whether there is a connection.
  connection: {} as ReadyMessage['connection'],
  batch: {
    signal: new AbortController().signal,
    draining: new AbortController().signal,
    end: () => undefined,
    fail: () => undefined,
    giveBack: () => undefined,
  },
  sendRef: { ...SCOPE, id: 's1', sendId: 's1', key: 's1' },
  send: { content: {}, variables: {}, class: 'marketing', category: null, abTestId: null, step: null },
  profile: null,
  addressState: null,
  choices: null,
  settings: viewOf([]),
  senders: ANY_SENDER,
  timezone: null,
  choice: { content: {}, locale: null, localized: null, variant: null, abTest: null, bucket: null },
  rendered: () => ({ verdict: 'pass', message: null }),
  call: async () => ({ result: 'accepted', providerId: null }),
  ...more,
});
