import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { listeningTo } from '../../test/support/events/listening.ts';
import { testScopes } from '../../test/support/scopes.ts';
import { unchecked } from '../../test/support/unchecked.ts';
import { virtualClock } from '../foundation/clock.ts';
import { uuidV7Ids } from '../foundation/ids.ts';
import { silentLog } from '../foundation/log.ts';
import { noMeter } from '../foundation/meter.ts';
import { withoutKeys } from '../platform/idempotency/once.ts';
import { messagingModule } from './module.ts';
import type { MessagingNeeds, MessagingPlatform } from './parts.ts';
import { noAudiences } from './sends/audience.ts';
import type { BoundMessageReaction } from './sends/finalize/reactions.ts';

describe('the messaging module', () => {
  let database: TestDatabase;
  const clock = virtualClock('2026-03-01T12:00:00.000Z');
  beforeEach(async () => {
    database = await openTestDatabase({ clock });
  });
  afterEach(() => database.close());

  const build = (...messageReactions: BoundMessageReaction[]) => {
    const { storage, tables } = database;
    const common = { storage, tables, clock, ids: uuidV7Ids(clock), log: silentLog, meter: noMeter, tracing: null };
    const platform: MessagingPlatform = { ...common, scopes: unchecked(testScopes), keyring: unchecked({}) };
    const needs: MessagingNeeds = {
      loadProfiles: async () => new Map(),
      personWith: async () => null,
      userOf: async () => null,
      onOrgZone: async () => () => undefined,
      audiences: noAudiences,
      emitter: listeningTo(tables),
      causes: async () => () => ({ depth: 0 }),
      countPlaceholders: () => undefined,
      requirePlan: async () => undefined,
      answerOnce: withoutKeys,
      limits: { hasMailPermit: () => false, mailPermits: unchecked({}) },
      hasSeveralOrgs: async () => false,
      scopeIdsOfAll: async () => [],
      links: unchecked({}),
      unsubscribeTokens: unchecked({}),
      callbackTokens: unchecked({}),
      messageReactions,
    };
    return messagingModule(platform, needs, {});
  };
  const reaction = (name: string): BoundMessageReaction => ({
    name,
    concerns: () => false,
    load: async () => () => ({ writes: [] }),
  });

  it('messagingModule collects the contributions of its modules', async () => {
    const messaging = build();
    const namesOf = (entries: readonly { readonly name: string }[]) => entries.map(({ name }) => name);
    expect(new Set(namesOf(messaging.erasers))).toEqual(
      new Set([
        'sends',
        'devices',
        'callbacks',
        'geofence crossings',
        'live activities',
        'suppressions',
        'subscriptions',
        'frequency caps',
      ]),
    );
    expect(namesOf(messaging.ingestReactions)).toEqual(['push tokens', 'conversions']);
    expect(new Set(namesOf(messaging.maintenance))).toEqual(
      new Set(['callbacks', 'geofence crossings', 'live activities', 'frequency caps', 'email domains']),
    );
    expect(messaging.queues).toHaveLength(2);
    expect(messaging.sealedValues).toHaveLength(3);
    await messaging.close();
  });

  it('a message reaction of another group is accepted if it has a place in the order', async () => {
    await build(reaction('step outcomes'), reaction('hooks of the host')).close();
  });

  it('a message reaction without a place in the order is rejected at startup', () => {
    expect(() => build(reaction('nobody'))).toThrow('the order of a pipeline lacks nobody');
  });
});
