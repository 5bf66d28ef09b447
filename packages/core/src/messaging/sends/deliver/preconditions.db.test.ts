import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { seeded } from '../../../../test/support/seeded.ts';
import {
  addresses,
  draftTo,
  hand,
  numbered,
  openWorld,
  TEST,
  users,
  type World,
} from '../../../../test/support/sends/world.ts';
import { write } from '../../../database/commit/write-set.ts';
import { userPerson } from '../../../foundation/person.ts';
import { scopeOf } from '../../../foundation/scope.ts';
import { emailChannel } from '../../email/email.ts';
import { smsChannel } from '../../sms/sms.ts';
import { subscriptionStatements } from '../../subscriptions/statements.ts';
import { assertChoicesUnchanged, choicesOf } from '../../subscriptions/subscriptions.ts';
import { type Suppressions, suppressionsEngine } from '../../suppressions/suppressions.ts';
import type { AddressState } from '../channel.ts';
import type { Sending } from '../sending.ts';

const WORKERS = 4;

describe('preconditions of a handover', () => {
  let world: World;
  let lists: Suppressions;
  let sending: Sending;
  /** Runs between the reading of facts and the handover. */
  let meanwhile: (recipients: readonly { address: string }[]) => Promise<void>;
  beforeEach(async () => {
    world = await openWorld();
    meanwhile = async () => undefined;
    const { storage, tables, clock } = world;
    lists = suppressionsEngine({ storage, tables, clock });
    const statesOf = (channel: 'email' | 'sms') => {
      const read = lists.states(channel);
      return async (recipients: Parameters<typeof read>[0]): Promise<ReadonlyMap<string, AddressState>> => {
        const found = await read(recipients);
        await meanwhile(recipients);
        return found;
      };
    };
    const chose = assertChoicesUnchanged({ tables });
    sending = world.engine({
      channels: {
        push: world.push.port,
        email: { ...emailChannel(), states: statesOf('email') },
        sms: { ...smsChannel(), states: statesOf('sms') },
      },
      loadChoices: choicesOf({ storage, tables }),
      preconditions: [
        ({ row, addressState }) => lists.assertUnchanged(row, addressState),
        ({ row, choices }) =>
          row.person === null ? [] : [chose({ ...scopeOf(row), person: row.person, channel: row.channel }, choices)],
      ],
    });
  });
  afterEach(() => world.close());

  const once = (act: () => Promise<unknown>): void => {
    meanwhile = async () => {
      meanwhile = async () => undefined;
      await act();
    };
  };
  const deliver = async (): Promise<void> => {
    await hand(world.database, sending.registrations.messages).turn();
  };
  const outcomes = async () =>
    (await world.storage.db.select().from(world.tables.messages).orderBy(world.tables.messages.id)).map(
      ({ address, status, reason, attempt }) => [address, status, reason, attempt],
    );

  it('a bounce between evaluation and handover suppresses the message', async () => {
    await world.accept(TEST, draftTo(addresses('a@example.com', 'b@example.com', 'c@example.com')));
    const entry = { ...TEST, channel: 'email', address: 'B@example.com', reason: 'bounced_address' } as const;
    const listed = lists.writes([{ ...entry, source: 'provider', messageId: null, at: world.clock.now() }]);
    once(() => world.storage.commit({ writes: listed }));
    await deliver();
    expect(await outcomes()).toEqual([
      ['a@example.com', 'sent', null, 1],
      ['b@example.com', 'suppressed', 'bounced_address', 0],
      ['c@example.com', 'sent', null, 1],
    ]);
    expect(await world.caught()).toHaveLength(2);
  });

  it('a STOP between evaluation and handover suppresses the text message', async () => {
    const request = {
      ...draftTo(addresses('+15550100', '+15550101')),
      channel: 'sms',
      content: { body: 'Hi' },
    } as const;
    await world.accept(TEST, request);
    once(() => lists.api.add(TEST, 'sms', { address: '+15550101', reason: 'sms_stopped' }));
    await deliver();
    expect(await outcomes()).toEqual([
      ['+15550100', 'sent', null, 1],
      ['+15550101', 'suppressed', 'sms_stopped', 0],
    ]);
  });

  it('an unsubscribe between evaluation and handover stops its category only', async () => {
    world.addPerson(TEST, 'ann', { email: 'ann@example.com' });
    const { put } = subscriptionStatements(world.tables);
    const chooses = (category: string, isSubscribed: boolean) => {
      const key = { scopeId: TEST.scopeId, person: userPerson('ann'), channel: 'email', category } as const;
      const row = { ...key, isSubscribed, source: 'person', messageId: null, updatedAt: world.clock.now() } as const;
      return () => world.storage.commit({ writes: [write(put, row)] });
    };
    await chooses('', true)();
    await world.accept(TEST, draftTo(users('ann')));
    once(chooses('news', false));
    await deliver();
    await world.accept(TEST, draftTo(users('ann')));
    once(chooses('', false));
    await deliver();
    expect(await outcomes()).toEqual([
      ['ann@example.com', 'sent', null, 1],
      ['ann@example.com', 'suppressed', 'unsubscribed', 0],
    ]);
  });

  it('an address removed from its list meanwhile is evaluated again', async () => {
    await lists.api.add(TEST, 'email', { address: 'a@example.com', reason: 'unsubscribed' });
    await world.accept(TEST, { ...draftTo(addresses('a@example.com')), class: 'transactional' });
    once(() => lists.api.remove(TEST, 'email', { address: 'a@example.com' }));
    await deliver();
    expect(await outcomes()).toEqual([['a@example.com', 'sent', null, 1]]);
  });

  it('several workers never hand over to a listed address, whenever it is listed', async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const random = seeded(seed);
    const list = numbered(60);
    await world.accept(TEST, draftTo(addresses(...list)));
    const added = new Set<string>();
    const late = new Set<string>();
    const delayed = (count: number) => new Promise((resolve) => setTimeout(resolve, Math.floor(count)));
    meanwhile = async (recipients) => {
      await delayed(random() * 10);
      for (const { address } of recipients) if (added.has(address)) late.add(address);
    };
    const leave = async (): Promise<void> => {
      for (const address of list.filter(() => random() < 0.6)) {
        await delayed(random() * 2);
        await lists.api.add(TEST, 'email', { address, reason: 'complained_address' });
        added.add(address);
      }
    };
    const workers = Array.from({ length: WORKERS }, async () => {
      const worker = hand(world.database, sending.registrations.messages);
      while ((await worker.turn(4)) > 0);
    });
    await Promise.all([leave(), ...workers]);
    const sent = new Set((await outcomes()).flatMap(([address, status]) => (status === 'sent' ? [address] : [])));
    const rows = await outcomes();
    expect(rows.filter(([, status]) => status !== 'sent' && status !== 'suppressed')).toEqual([]);
    expect(
      [...late].filter((address) => sent.has(address)),
      `seed ${seed}`,
    ).toEqual([]);
  });
});
