import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rowId } from '../../../../test/support/row-ids.ts';
import { draftTo, hand, openWorld, PROD, TEST, type World } from '../../../../test/support/sends/world.ts';
import { LEASE_MS } from '../../../jobs/registration.ts';
import { CHUNK } from '../schema.ts';

const AUDIENCE = rowId('everybody');

describe('expanding a send to an audience', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });
  afterEach(() => world.close());

  const sendOf = (id: string) => world.sending.sends.get(TEST, 'email', id);
  const rowsOf = () => world.storage.db.select().from(world.tables.messages).orderBy(world.tables.messages.id);
  const request = { ...draftTo([]), source: 'audience', audienceId: AUDIENCE } as const;
  const named = (count: number): string[] =>
    Array.from({ length: count }, (_, at) => `u${String(at).padStart(5, '0')}`);
  /** Creates users with one address each and adds them to the audience. */
  const gather = (users: readonly string[]): string[] => {
    for (const userId of users) world.addPerson(TEST, userId, { email: `${userId}@example.com` });
    const members = [...users];
    world.lists.set(AUDIENCE, { members, isReady: true });
    return members;
  };

  /** Runs a worker that expands this many parts and fails while writing the next. */
  const dieAfter = async (parts: number): Promise<void> => {
    const claimed = await world.sends.claim();
    let commits = 0;
    world.observer.beforeCommit = () => {
      commits += 1;
      if (commits > parts) throw new Error('the worker dies');
    };
    await expect(world.sends.process(claimed)).rejects.toThrow('the worker dies');
    delete world.observer.beforeCommit;
  };

  it('an audience send reaches each member once, in parts, and stores no member list', async () => {
    const members = gather(named(2 * CHUNK + 5));
    const { id, ...accepted } = await world.accept(TEST, request);
    expect(accepted).toMatchObject({ status: 'queued', source: 'audience', audienceId: AUDIENCE, tokenCount: 2_005 });
    await world.sends.turn();
    expect((await rowsOf()).map(({ person }) => person)).toEqual(members.map((userId) => `u:${userId}`));
    expect(await sendOf(id)).toMatchObject({ tokenCount: 2_005, counts: { targeted: 2_005, queued: 2_005 } });
    const [row] = await world.storage.db.select().from(world.tables.sends);
    expect(row).toMatchObject({ recipients: [], expandedRecipients: 2_005, dueAt: null });
  });

  it('members who join at a place already expanded are not reached; earlier joiners are', async () => {
    const members = gather(named(CHUNK + 5));
    for (const late of ['u00000a', 'u09999']) world.addPerson(TEST, late, { email: `${late}@example.com` });
    await world.accept(TEST, request);
    await dieAfter(1);
    members.push('u00000a', 'u09999');
    members.splice(members.indexOf('u01003'), 1);
    world.clock.advance(LEASE_MS);
    await world.drain();
    const reached = new Set((await rowsOf()).map(({ person }) => person));
    expect(['u:u00000a', 'u:u09999', 'u:u01003', 'u:u01004'].map((person) => reached.has(person))).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  it('an address used in an earlier part is a duplicate for another worker too', async () => {
    gather(named(CHUNK + 5));
    world.addPerson(TEST, 'u01002', { email: 'U00001@example.com' });
    const { id } = await world.accept(TEST, request);
    await dieAfter(1);
    world.clock.advance(LEASE_MS);
    await hand(world.database, world.engine().registrations.sends).turn();
    const twice = (await rowsOf()).filter(({ reason }) => reason === 'duplicate');
    expect(twice.map(({ person }) => person)).toEqual(['u:u01002']);
    expect(await sendOf(id)).toMatchObject({ counts: { targeted: CHUNK + 5, suppressed: 1 } });
  });

  it('expansion finishes a member who left meanwhile, then takes the next', async () => {
    world.lists.set(AUDIENCE, { members: ['ann', 'ben'], isReady: true });
    const devices = (name: string, count: number) =>
      Array.from({ length: count }, (_, at) => ({
        address: `${name}-${String(at).padStart(4, '0')}`,
        name: null,
        facts: { platform: 'android' as const, tokenId: rowId(`${name}-${at}`) },
      }));
    world.tokens.set('ann', devices('ann', 2_500)).set('ben', devices('ben', 1));
    const { id } = await world.accept(TEST, { ...request, channel: 'push', content: { title: 'Hi' } });
    await dieAfter(1);
    world.lists.set(AUDIENCE, { members: ['ben'], isReady: true });
    world.clock.advance(LEASE_MS);
    await world.sends.turn();
    const rows = await rowsOf();
    expect([rows.length, rows.at(-1)?.person]).toEqual([2_501, 'u:ben']);
    expect(await world.sending.sends.get(TEST, 'push', id)).toMatchObject({ counts: { targeted: 2_501 } });
  });

  it('a part that ends within a member waits for the disk, since no member count reveals its loss', async () => {
    world.lists.set(AUDIENCE, { members: ['ann', 'ben'], isReady: true });
    const tokenOf = (at: number) => ({
      ...{ address: `token-${String(at).padStart(4, '0')}`, name: null },
      facts: { platform: 'android' as const, tokenId: rowId(`token-${at}`) },
    });
    world.tokens
      .set(
        'ann',
        Array.from({ length: 2_500 }, (_, at) => tokenOf(at)),
      )
      .set('ben', [tokenOf(2_500)]);
    const lost: unknown[] = [];
    const commit: World['storage']['commit'] = async (plan) => {
      lost.push(plan.mayBeLost);
      return world.storage.commit(plan);
    };
    const engine = world.engine({ storage: { ...world.storage, commit } });
    await world.accept(TEST, { ...request, channel: 'push', content: { title: 'Hi' } });
    await hand(world.database, engine.registrations.sends).turn();
    await engine.close();
    expect(lost).toEqual([false, true, false]);
  });

  it('an audience without members ends the send as no_recipients', async () => {
    world.lists.set(AUDIENCE, { members: [], isReady: true });
    const { id, status } = await world.accept(TEST, request);
    expect(status).toBe('queued');
    await world.drain();
    expect(await sendOf(id)).toMatchObject({ status: 'suppressed', errorCode: 'no_recipients', tokenCount: 0 });
  });

  it('an audience deleted before a scheduled start ends the send as no_recipients', async () => {
    gather(named(2));
    const scheduledFor = new Date(world.clock.now().getTime() + 60_000);
    const { id } = await world.accept(TEST, { ...request, scheduledFor });
    world.lists.delete(AUDIENCE);
    world.clock.advance(60_000);
    await world.drain();
    expect(await sendOf(id)).toMatchObject({ status: 'suppressed', errorCode: 'no_recipients' });
  });

  it('expansion waits for an audience that is still being computed', async () => {
    gather(named(2));
    world.lists.set(AUDIENCE, { members: ['u00000'], isReady: false });
    const { id } = await world.accept(TEST, request);
    expect(await world.sends.turn()).toBe(1);
    expect([await rowsOf(), await world.sends.turn()]).toEqual([[], 0]);
    gather(named(2));
    world.clock.advance(1_000);
    await world.drain();
    expect(await sendOf(id)).toMatchObject({ status: 'sent', counts: { sent: 2 } });
  });

  it('a send cancelled while it waits or between two parts makes no further messages', async () => {
    gather(named(5));
    const { id } = await world.accept(TEST, request);
    await world.sending.sends.cancel(TEST, 'email', id);
    await world.drain();
    expect(await rowsOf()).toEqual([]);
    expect(await sendOf(id)).toMatchObject({ status: 'cancelled' });
  });

  it('members of a dead-lettered send are counted as failed', async () => {
    gather(named(5));
    const { id } = await world.accept(TEST, request);
    const [row] = await world.sends.claim();
    if (row) await world.sending.registrations.sends.deadLetter(row, 'threw');
    expect(await sendOf(id)).toMatchObject({
      status: 'failed',
      errorCode: 'threw',
      counts: { targeted: 5, failed: 5 },
    });
  });

  it('an unknown audience is rejected before any write', async () => {
    for (const scope of [TEST, PROD])
      await expect(world.sending.submit(scope, request)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { fieldErrors: { audienceId: ['no audience with this id in this environment'] } },
      });
    expect(await world.storage.db.select().from(world.tables.sends)).toEqual([]);
  });

  it('a dry run for an audience shows the member count and the first members', async () => {
    const members = gather(named(250));
    world.addPerson(TEST, members[3] ?? '', {});
    const answer = await world.sending.submit(TEST, { ...request, isDryRun: true, warnings: ['A key was ignored.'] });
    expect(answer).toMatchObject({
      recipients: 250,
      tokenCount: 250,
      suppressed: { no_address: 1 },
      warnings: ['Shown and counted as suppressed are those of the first 100 of 250 members.', 'A key was ignored.'],
    });
    if ('dryRun' in answer) expect(answer.messages.map(({ userId }) => userId)).toEqual(members.slice(0, 100));
    expect(await world.storage.db.select().from(world.tables.sends)).toEqual([]);
  });
});
