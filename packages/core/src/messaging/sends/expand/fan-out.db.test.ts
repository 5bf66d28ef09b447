import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rowId } from '../../../../test/support/row-ids.ts';
import { testScopes } from '../../../../test/support/scopes.ts';
import { seeded } from '../../../../test/support/seeded.ts';
import { hand, openWorld, TEST, type World } from '../../../../test/support/sends/world.ts';
import { PLATFORMS, type Platform } from '../../../foundation/device-platform.ts';
import { LEASE_MS } from '../../../jobs/registration.ts';
import { audiencesForSends } from '../../../people/audiences/sends/sends.ts';
import { pushChannel } from '../../push/channel.ts';
import type { SendAudiences } from '../audience.ts';
import type { MessageChange } from '../finalize/change.ts';

const AUDIENCE = rowId('everybody');
const PEOPLE = 120;

describe('expanding a push to an audience by statements', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });
  afterEach(() => world.close());

  const request = { channel: 'push', source: 'audience', class: 'marketing', title: 'Hi', variables: {} } as const;
  const draft = (content: Readonly<Record<string, unknown>> = {}) =>
    ({ ...request, content: { title: 'Hi', ...content }, recipients: [], audienceId: AUDIENCE }) as const;

  const join = async (people: readonly string[], scopeId = TEST.scopeId) => {
    const rows = people.map((userId) => ({
      scopeId,
      audienceId: AUDIENCE,
      person: `u:${userId}`,
      joinedAt: new Date(0),
    }));
    await world.storage.db.insert(world.tables.audienceMembers).values(rows);
    const { scopeId: ours } = TEST;
    const stage = { stage: null, predicate: null, cursor: null, dueAt: null, leaseUntil: null, description: null };
    const at = { createdAt: new Date(0), updatedAt: new Date(0) };
    const audience = { scopeId: ours, id: AUDIENCE, name: 'Everybody', kind: 'static', version: 1, fence: 0 } as const;
    await world.storage.db
      .insert(world.tables.audiences)
      .values({ ...audience, ...stage, ...at })
      .onConflictDoNothing();
  };
  let tokens = 0;
  const tokenOf = (
    userId: string,
    {
      platform = 'android',
      isActive = true,
      scopeId = TEST.scopeId,
    }: { platform?: Platform; isActive?: boolean; scopeId?: number } = {},
  ) => {
    tokens += 1;
    const name = `t${String((tokens * 7_919) % 100_003).padStart(6, '0')}`;
    return {
      ...{ scopeId, id: rowId(name), tokenKey: name, person: `u:${userId}`, platform, token: name.padEnd(64, 'a') },
      ...{ apnsEnvironment: platform === 'ios' && tokens % 2 === 0 ? ('production' as const) : null, isActive },
      ...{ createdAt: new Date(0), updatedAt: new Date(0), registeredAt: new Date(0) },
    };
  };
  const register = async (rows: readonly ReturnType<typeof tokenOf>[]) => {
    if (rows.length > 0) await world.storage.db.insert(world.tables.pushTokens).values([...rows]);
  };
  /** Sending over real devices and audiences. With `isRead` members are read in code; else statements find them. */
  const sendingOf = (isRead: boolean, more: Parameters<World['engine']>[0] = {}) => {
    const push = pushChannel({ storage: world.storage, tables: world.tables, scopes: testScopes });
    const { find, page, isReady, ...text } = audiencesForSends({ storage: world.storage, tables: world.tables });
    const audiences: SendAudiences = isRead ? { find, page, isReady } : { find, page, isReady, ...text };
    const { channels } = world;
    return world.engine({ channels: { ...channels, push }, audiences, ...more });
  };
  const expanded = async (sending: ReturnType<typeof sendingOf>, content?: Readonly<Record<string, unknown>>) => {
    const send = await sending.submit(TEST, draft(content));
    if ('dryRun' in send) throw new Error('this was a dry run');
    await hand(world.database, sending.registrations.sends).turn();
    return send.id;
  };
  const rowsOf = (sendId: string) =>
    world.storage.db
      .select()
      .from(world.tables.messages)
      .where(eq(world.tables.messages.sendId, sendId))
      .orderBy(world.tables.messages.id);

  it('statements make the same rows as reading every member, for random users', async () => {
    const seed = Date.now() % 1_000_000;
    const random = seeded(seed);
    const names = Array.from({ length: PEOPLE }, (_, at) => `p${at}-${['é', 'Z', 'a', '_', '"', "'"][at % 6]}`);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    await register(
      names.flatMap((userId) =>
        Array.from({ length: Math.floor(random() * 4) }, () =>
          tokenOf(userId, {
            platform: pick(PLATFORMS),
            isActive: random() < 0.7,
            scopeId: random() < 0.9 ? TEST.scopeId : TEST.scopeId + 1,
          }),
        ),
      ),
    );
    await join(names.filter(() => random() < 0.8));
    const [byText, byHand] = [sendingOf(false), sendingOf(true)];
    for (const platforms of [undefined, ['ios'], ['android', 'web']] as const) {
      const content = platforms ? { platforms } : {};
      const [byStatements, read] = [await expanded(byText, content), await expanded(byHand, content)];
      const shown = async (id: string) => (await rowsOf(id)).map(({ id: _, sendId: __, ...row }) => row);
      const rows = await shown(byStatements);
      expect(rows, `seed ${seed}`).toEqual(await shown(read));
      expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['queued', 'suppressed']));
      const [one, other] = await Promise.all([byStatements, read].map((id) => byText.sends.get(TEST, 'push', id)));
      expect({ ...one, id: null }).toEqual({ ...other, id: null });
    }
    await Promise.all([byText.close(), byHand.close()]);
  });

  it('statement expansion continues after the last written part, without duplicates or gaps', async () => {
    const names = Array.from({ length: 2_005 }, (_, at) => `p${String(at).padStart(5, '0')}`);
    for (let at = 0; at < names.length; at += 500) {
      await register(
        names
          .slice(at, at + 500)
          .filter((_, of) => of % 3 > 0)
          .map((userId) => tokenOf(userId)),
      );
      await join(names.slice(at, at + 500));
    }
    const sending = sendingOf(false, { elapsedMs: () => 0 });
    const send = await sending.submit(TEST, draft());
    const worker = hand(world.database, sending.registrations.sends);
    const claimed = await worker.claim();
    let commits = 0;
    world.observer.beforeCommit = () => {
      commits += 1;
      if (commits === 2) throw new Error('the worker dies');
    };
    await expect(worker.process(claimed)).rejects.toThrow('the worker dies');
    delete world.observer.beforeCommit;
    const id = 'id' in send ? send.id : '';
    expect(await rowsOf(id)).toHaveLength(250);
    world.clock.advance(LEASE_MS);
    await worker.turn();
    const rows = await rowsOf(id);
    expect(rows.map(({ person }) => person)).toEqual(names.map((name) => `u:${name}`));
    expect(new Set(rows.map((row) => row.id)).size).toBe(2_005);
    const suppressed = names.filter((_, at) => (at % 500) % 3 === 0).length;
    expect(await sending.sends.get(TEST, 'push', id)).toMatchObject({
      tokenCount: 2_005,
      counts: { targeted: 2_005, queued: 2_005 - suppressed, suppressed },
    });
    await sending.close();
  });

  it('a part is planned again if a user gains or loses a device after the count', async () => {
    await join(['ann', 'ben', 'cat']);
    await register([tokenOf('ann'), tokenOf('ben'), tokenOf('ben')]);
    let isFirst = true;
    const sending = sendingOf(false, {
      reactions: [
        {
          name: 'somebody registers meanwhile',
          concerns: () => true,
          load: async () => {
            if (isFirst) await register([tokenOf('cat'), tokenOf('ann')]);
            isFirst = false;
            return () => ({ writes: [] });
          },
        },
      ],
    });
    const id = await expanded(sending);
    expect((await rowsOf(id)).map(({ person, status }) => [person, status])).toEqual([
      ...['u:ann', 'u:ann', 'u:ben', 'u:ben', 'u:cat'].map((person) => [person, 'queued']),
    ]);
    await sending.close();
  });

  it('members who are not reached trigger reactions in the commit that makes their messages', async () => {
    await join(['ann', 'ben', 'cat']);
    await register([tokenOf('ann'), tokenOf('ben', { isActive: false })]);
    const byStatements: MessageChange[] = [];
    const sending = sendingOf(false, {
      reactions: [
        {
          name: 'told',
          concerns: () => true,
          load: async (changes) => {
            byStatements.push(...changes);
            return () => ({ writes: [] });
          },
        },
      ],
    });
    const rows = await rowsOf(await expanded(sending));
    expect(byStatements.map(({ person, reason }) => [person, reason])).toEqual([
      ['u:ben', 'token_inactive'],
      ['u:cat', 'no_token'],
    ]);
    expect(rows.filter(({ status }) => status === 'suppressed').map(({ id }) => id)).toEqual(
      byStatements.map(({ messageId }) => messageId),
    );
    await sending.close();
  });

  it('a member with more devices than a statement may write is read in pages, then expansion continues', async () => {
    await join(['ann', 'ben', 'cat']);
    const many = Array.from({ length: 2_100 }, () => tokenOf('ann'));
    for (let at = 0; at < many.length; at += 500) await register(many.slice(at, at + 500));
    await register([tokenOf('ben'), tokenOf('cat')]);
    const sending = sendingOf(false, { elapsedMs: () => 0 });
    const ran: string[] = [];
    world.observer.statement = (statement) => ran.push(statement);
    const rows = await rowsOf(await expanded(sending));
    delete world.observer.statement;
    expect([
      rows.length,
      rows[0]?.person,
      rows[2_099]?.person,
      ...rows.slice(2_100).map(({ person }) => person),
    ]).toEqual([2_102, 'u:ann', 'u:ann', 'u:ben', 'u:cat']);
    expect(ran.filter((statement) => statement === 'sending.fill')).toHaveLength(1);
    expect(ran.filter((statement) => statement === 'sending.insert_message').length).toBeGreaterThan(0);
    await sending.close();
  });

  it('the first messages need four statements, whatever the audience size', async () => {
    const names = Array.from({ length: 1_200 }, (_, at) => `p${String(at).padStart(5, '0')}`);
    for (let at = 0; at < names.length; at += 400) {
      await join(names.slice(at, at + 400));
      await register(names.slice(at, at + 400).map((userId) => tokenOf(userId)));
    }
    const sending = sendingOf(false, { elapsedMs: () => 0 });
    const send = await sending.submit(TEST, draft());
    const worker = hand(world.database, sending.registrations.sends);
    const claimed = await worker.claim();
    const ran: string[] = [];
    world.observer.statement = (statement) => ran.push(statement);
    await worker.process(claimed);
    delete world.observer.statement;
    // The ready check, the end of the part, the count, and the write.
    const first = ran.indexOf('sending.fill');
    expect(ran.slice(0, first + 1).filter((statement) => statement.startsWith('sending.'))).toEqual([
      'sending.end',
      'sending.survey',
      'sending.advance',
      'sending.fill',
    ]);
    expect(first).toBeLessThanOrEqual(7);
    expect(await rowsOf('id' in send ? send.id : '')).toHaveLength(1_200);
    await sending.close();
  });

  it('a part is followed by a pause as long as itself while others write', async () => {
    await join(Array.from({ length: 1_500 }, (_, at) => `p${String(at).padStart(5, '0')}`));
    let now = 0;
    const sending = sendingOf(false, {
      elapsedMs: () => {
        now += 20;
        return now;
      },
    });
    const begun: number[] = [];
    world.observer.statement = (statement) => {
      if (statement === 'sending.advance') begun.push(performance.now());
    };
    const others = setInterval(() => void world.storage.commit({ writes: [] }), 1);
    await expanded(sending);
    clearInterval(others);
    delete world.observer.statement;
    // A part takes 20 ms by the injected clock; the pause is real.
    expect((begun.at(-1) ?? 0) - (begun.at(-2) ?? 0)).toBeGreaterThanOrEqual(19);
    await sending.close();
  });
});
