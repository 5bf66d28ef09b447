import type { InScope } from '../../../src/foundation/scope.ts';

const at = new Date('2026-03-01T10:00:00.000Z');

/** A stored event of which only position and profile matter. */
export const eventRow = (scope: InScope, id: string, person: string, personKey: number) => ({
  scopeId: scope.scopeId,
  id,
  person,
  personKey,
  anonymousId: null,
  module: 'app',
  eventType: 'opened',
  properties: {},
  traits: null,
  context: null,
  sessionId: null,
  messageId: null,
  source: 'customer' as const,
  timestamp: at,
  receivedAt: at,
});
