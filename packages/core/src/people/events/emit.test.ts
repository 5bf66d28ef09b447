import { describe, expect, it } from 'vitest';
import { scopeLike, testScope, testScopes } from '../../../test/support/scopes.ts';
import { tablesOf } from '../../app/tables.ts';
import { type Write, write } from '../../database/commit/write-set.ts';
import { type Scope, scopeOf } from '../../foundation/scope.ts';
import { CATALOG, type CatalogName, MAX_DEPTH, type RaisedName } from './catalog.ts';
import { type CatalogEvent, emitter, RAISED } from './emit.ts';
import { personKey } from './person-key.ts';
import { eventStatements } from './statements.ts';

const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
const other = scopeLike(scope, { projectId: 'q' });
const hot = eventStatements(tablesOf('sqlite'));
const at = new Date('2026-03-01T10:00:00.000Z');
const event = (name: CatalogName, more: Partial<CatalogEvent> = {}): CatalogEvent => ({
  id: 'e1',
  name,
  scope,
  person: 'u:ann',
  properties: { sendId: 's1' },
  at,
  depth: 0,
  ...more,
});

const raisedRow = {
  ...scopeOf(scope),
  ...{
    person: 'u:ann',
    module: 'm',
    eventType: 't',
    properties: {},
    depth: 0,
    runBudget: 9,
    raisedAt: at,
    dueAt: at,
    fence: 0,
  },
};

/** Workflows subscribe to these names in `scope`, and to none elsewhere. */
const emission = async (...names: CatalogName[]) => {
  const heard: ReadonlySet<string> = new Set(names);
  const listener = { load: async () => (where: Scope, name: string) => where === scope && heard.has(name) };
  const nobody = { load: async () => () => false };
  return emitter({ hot, scopes: testScopes, listeners: [nobody, listener] }).load([scope, other]);
};
const statements = async (what: CatalogEvent, ...names: CatalogName[]): Promise<string[]> =>
  (await emission(...names)).emit(what).writes.map(({ bulk }) => bulk.id);

/** Webhooks subscribe to these names in `scope`; workflows to those in `heard`. */
const announcing = async (names: readonly CatalogName[], heard: readonly RaisedName[] = []) => {
  const tell = ({ id }: CatalogEvent) => ({
    writes: [write(hot.raise, { ...raisedRow, id: `told ${id}` })],
    wakes: ['w'],
  });
  const announcer = {
    load: async () => (where: Scope, name: CatalogName) => (where === scope && names.includes(name) ? tell : null),
  };
  const isHeard = (name: string) => heard.some((one) => one === name);
  const listener = { load: async () => (where: Scope, name: string) => where === scope && isHeard(name) };
  return emitter({ hot, scopes: testScopes, listeners: [listener], publisher: announcer }).load([scope, other]);
};
const idsOf = ({ writes }: { readonly writes: readonly Write[] }) => writes.map(({ row }) => row['id']);

describe('publishing a raised event to webhooks', () => {
  it('events for workflows only are never published to webhooks', async () => {
    // Safe: a name outside the type must get nothing.
    const names = ['audience.entered'] as unknown as readonly CatalogName[];
    const { hasSubscribers: isHeard, emit } = await announcing(names);
    const entered = { ...event('push.sent'), name: 'audience.entered' } as const;
    expect([isHeard(scope, 'audience.entered'), emit(entered).writes]).toEqual([false, []]);
    const heard = await announcing(names, ['audience.entered']);
    expect(heard.emit(entered).writes.map(({ bulk }) => bulk.id)).toEqual(['events.insert_raised', 'events.raise']);
  });

  it('a webhook counts as a subscriber but adds no event row and no due row', async () => {
    const { hasSubscribers: isHeard, emit } = await announcing(['push.sent']);
    expect([isHeard(scope, 'push.sent'), isHeard(other, 'push.sent')]).toEqual([true, false]);
    expect(isHeard(scope, 'push.opened')).toBe(false);
    const told = emit(event('push.sent'));
    expect([idsOf(told), told.wakes]).toEqual([['told e1'], ['w']]);
    expect(idsOf(emit(event('push.sent', { scope: other })))).toEqual([]);
  });

  it('webhook writes are added to those of workflows and the catalog', async () => {
    const { emit } = await announcing(['push.opened'], ['push.opened']);
    const { writes, wakes } = emit(event('push.opened'));
    expect(writes.map(({ bulk, row }) => [bulk.id, row['id']])).toEqual([
      ['events.insert_raised', 'e1'],
      ['events.raise', 'e1'],
      ['events.raise', 'told e1'],
    ]);
    expect(wakes).toEqual([RAISED, 'w']);
  });

  it('events without profile and events beyond the maximum depth still reach webhooks', async () => {
    const { emit } = await announcing(['push.opened']);
    expect(idsOf(emit(event('push.opened', { person: null })))).toEqual(['told e1']);
    expect(idsOf(emit(event('push.opened', { depth: MAX_DEPTH + 1 })))).toEqual(['e1', 'told e1']);
  });

  it('announce publishes to webhooks only', async () => {
    const { publish } = await announcing(['user.identified'], ['user.identified']);
    expect(idsOf(publish(event('user.identified')))).toEqual(['told e1']);
    expect(idsOf(publish(event('push.opened')))).toEqual([]);
  });
});

describe('emitting an event', () => {
  it('an event that has no subscribers and is not stored as a row writes nothing', async () => {
    const { emit } = await emission('push.opened');
    expect(emit(event('push.sent'))).toEqual({ writes: [], wakes: [] });
    expect(emit(event('workflow.run_started'))).toEqual({ writes: [], wakes: [] });
  });

  it('an event stored as a row without subscribers makes no due row', async () => {
    const { emit } = await emission();
    const { writes, wakes } = emit(event('push.opened'));
    expect(wakes).toEqual([]);
    expect(writes.map(({ bulk }) => bulk.id)).toEqual(['events.insert_raised']);
    expect(writes[0]?.row).toEqual({
      ...scopeOf(scope),
      id: 'e1',
      person: 'u:ann',
      personKey: personKey(scope, 'u:ann'),
      anonymousId: null,
      module: 'push',
      eventType: 'push.opened',
      properties: { sendId: 's1' },
      source: 'system',
      timestamp: at,
      receivedAt: at,
    });
  });

  it('an event with a subscribed workflow is stored, due and wakes the queue', async () => {
    const { emit } = await emission('push.sent');
    const { writes, wakes } = emit(event('push.sent', { person: 'a:x', depth: 4 }));
    expect(wakes).toEqual([RAISED]);
    expect(writes.map(({ bulk, row }) => [bulk.id, row['id'], row['person']])).toEqual([
      ['events.insert_raised', 'e1', 'a:x'],
      ['events.raise', 'e1', 'a:x'],
    ]);
    expect(writes[1]?.row).toMatchObject({ depth: 4, raisedAt: at, dueAt: at, module: 'push' });
    expect(emit(event('push.sent', { scope: other }))).toEqual({ writes: [], wakes: [] });
  });

  it('isKept stores an event row whatever the catalog says', async () => {
    expect(await statements(event('push.delivered', { isKept: true }))).toEqual(['events.insert_raised']);
  });

  it('an event without profile writes nothing', async () => {
    expect(await statements(event('push.opened', { person: null }), 'push.opened')).toEqual([]);
  });

  it('an event beyond the maximum depth makes no due row', async () => {
    const deep = (depth: number) => statements(event('push.opened', { depth }), 'push.opened');
    expect(await deep(MAX_DEPTH)).toEqual(['events.insert_raised', 'events.raise']);
    expect(await deep(MAX_DEPTH + 1)).toEqual(['events.insert_raised']);
  });

  it('subscribers are loaded once per scope', async () => {
    const asked: number[] = [];
    const listener = {
      load: async (scopes: readonly Scope[]) => {
        asked.push(scopes.length);
        return () => false;
      },
    };
    await emitter({ hot, scopes: testScopes, listeners: [listener] }).load([scope, scopeOf(scope), other]);
    expect(asked).toEqual([2]);
  });
});

/** Source: interface, Event catalog (complete enum). */
const INTERFACE = `
push.send_requested push.scheduled push.sent push.delivered push.failed push.suppressed push.cancelled push.opened
push.clicked push.token_invalidated push.live_activity_started push.live_activity_updated push.live_activity_ended
push.live_activity_invalidated geofence.entered geofence.exited geofence.dwelled email.delivered email.bounced
email.complained email.opened email.clicked sms.delivered sms.failed sms.inbound sms.stop_received user.signed_up
user.signed_in user.identified user.session_expired user.password_reset workflow.run_started workflow.run_completed
workflow.step_executed`;

describe('the event catalog', () => {
  it('the catalog has exactly the names of the interface', () => {
    expect(Object.keys(CATALOG).toSorted()).toEqual(INTERFACE.trim().split(/\s+/).toSorted());
  });
});
