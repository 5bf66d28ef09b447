import { expect, it } from 'vitest';
import { testScope } from '../../../test/support/scopes.ts';
import { newDraft } from '../../people/events/pipeline.ts';
import { notifyOfEvents } from './events.ts';

it('event hooks are not called for events that the service raises itself', async () => {
  const now = new Date('2026-03-01T10:00:00.000Z');
  const raised = {
    scope: testScope({ orgId: 'acme', projectId: 'app', environment: 'test' }),
    kind: 'raised',
    id: 'e-1',
    userId: 'ann',
    anonymousId: null,
    module: 'workflow',
    eventType: 'workflow.run_completed',
    properties: {},
    traits: null,
    context: null,
    sessionId: null,
    messageId: null,
    timestamp: now,
    receivedAt: now,
    depth: 1,
  } as const;
  const draft = newDraft([raised], now);
  await notifyOfEvents({ during: () => undefined }, null).plan(draft, undefined);
  expect(draft.hooks).toEqual([]);
});
