import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Capped, devices, openCapped, rule } from '../../../test/support/caps/capped.ts';
import { race, randomOf } from '../../../test/support/caps/race.ts';
import { rowId } from '../../../test/support/row-ids.ts';
import { addresses, draftTo, hand, PROD } from '../../../test/support/sends/world.ts';
import type { SendOutcome } from '../../delivery/transports/port.ts';

const HOUR = 3_600_000;
const CAPPED = 'suppressed frequency_cap';
const REFUSED: SendOutcome = { result: 'failed', code: 'no', message: 'No.' };
const BUSY: SendOutcome = { result: 'retry', code: 'busy', message: 'Later.', processed: 'no' };
const ACCEPTED: SendOutcome = { result: 'accepted', providerId: null };
const SILENT: SendOutcome = { result: 'retry', code: 'timeout', message: 'Nobody knows.', processed: 'unknown' };

describe('frequency caps', () => {
  let world: Capped;
  beforeEach(async () => {
    world = await openCapped(rule(3));
    world.tokens.set('ann', devices(rowId('ann 1')));
    world.tokens.set('ben', devices(rowId('ben 1'), rowId('ben 2')));
  });
  afterEach(() => world.close());

  /** Sends to a user now and returns the results. */
  const sent = async (userId: string, size?: number): Promise<string[]> => {
    const id = await world.push([userId]);
    await world.work(size);
    return world.endsOf(id);
  };
  const at = (time: string): void => {
    world.clock.advance(Date.parse(time) - world.clock.now().getTime());
  };
  /** The push provider gives these answers in order, then accepts everything. */
  const answers = (...outcomes: SendOutcome[]): void =>
    world.credentials.configure(
      { ...PROD, channel: 'push' },
      () => outcomes.shift() ?? { result: 'accepted', providerId: null },
    );

  it('a cap window rolls: a send at nine counts until nine the next day', async () => {
    for (const hour of ['09', '13', '17']) {
      at(`2026-03-02T${hour}:00:00.000Z`);
      expect(await sent('ann')).toEqual(['sent']);
    }
    at('2026-03-03T08:59:00.000Z');
    const late = await world.push(['ann']);
    await world.work();
    expect(await world.endsOf(late)).toEqual([CAPPED]);
    expect(await world.sending.sends.get(PROD, 'push', late)).toMatchObject({
      status: 'suppressed',
      counts: { suppressed: 1 },
      suppressedByReason: { frequency_cap: 1 },
    });
    at('2026-03-03T09:00:00.000Z');
    expect(await sent('ann')).toEqual(['sent']);
    expect(await sent('ann')).toEqual([CAPPED]);
  });

  it('a send to several devices of a user counts once, handed over together or one by one', async () => {
    world.set(rule(1));
    expect(await sent('ben')).toEqual(['sent', 'sent']);
    expect(await sent('ben')).toEqual([CAPPED, CAPPED]);
    world.clock.advance(24 * HOUR);
    expect(await sent('ben', 1)).toEqual(['sent', 'sent']);
    expect(await sent('ben', 1)).toEqual([CAPPED, CAPPED]);
    expect((await world.entries()).map(({ handovers }) => handovers)).toEqual([2, 2]);
  });

  it('remaining entries go to the first sends of a handover', async () => {
    const ids = [];
    for (let count = 0; count < 5; count += 1) ids.push(await world.push(['ann', 'ben']));
    await world.work();
    const ends = await Promise.all(ids.map((id) => world.endsOf(id)));
    expect(ends.map((own) => own.every((end) => end === 'sent'))).toEqual([true, true, true, false, false]);
    expect(ends.slice(3).flat()).toEqual(Array(6).fill(CAPPED));
  });

  it('a message taken back because quiet hours began releases its entry and later reserves another', async () => {
    world.set(rule(1));
    const mail = async () => (await world.accept(PROD, draftTo([{ kind: 'user', userId: 'ann' }], { text: 'Hi' }))).id;
    world.addPerson(PROD, 'ann', { email: 'ann@example.com' });
    at('2026-03-02T21:59:57.000Z');
    const late = await mail();
    world.observer.beforeCommit = () => {
      delete world.observer.beforeCommit;
      world.clock.advance(6_000);
    };
    await world.work();
    expect(await world.endsOf(late, 'email')).toEqual(['deferred quiet_hours']);
    expect(await world.entries()).toEqual([]);
    world.tokens.set('ann', devices(rowId('ann 1')));
    expect(await sent('ann')).toEqual(['sent']);
    at('2026-03-03T08:00:00.000Z');
    await world.work();
    expect(await world.endsOf(late, 'email')).toEqual([CAPPED]);
  });

  it('sends with an entry continue after a stricter rule is set', async () => {
    answers(BUSY, BUSY, BUSY);
    const ids = [await world.push(['ann']), await world.push(['ann']), await world.push(['ann'])];
    await world.work();
    world.set(rule(2));
    world.clock.advance(HOUR);
    await world.work();
    expect((await Promise.all(ids.map((id) => world.endsOf(id)))).flat()).toEqual(['sent', 'sent', 'sent']);
  });

  it('existing entries are counted only after a message was refused', async () => {
    let reads = 0;
    world.observer.statement = (id) => {
      reads += id === 'caps.taken' ? 1 : 0;
    };
    for (let time = 0; time < 3; time += 1) expect(await sent('ann')).toEqual(['sent']);
    expect(reads).toBe(0);
    expect(await sent('ann')).toEqual([CAPPED]);
    expect(reads).toBe(1);
    // After the first refusal entries are counted in advance, until no message is refused.
    expect(await sent('ann')).toEqual([CAPPED]);
    expect(reads).toBe(2);
    for (let time = 0; time < 2; time += 1) expect(await sent('ben')).toEqual(['sent', 'sent']);
    expect(reads).toBe(3);
  });

  it('a message reserves an entry under every rule or none', async () => {
    world.set(rule(1, { channel: 'push', per: { n: 1, unit: 'hour' } }), rule(2));
    const mail = async () => {
      const { id } = await world.accept(PROD, draftTo([{ kind: 'user', userId: 'ann' }], { text: 'Hello' }));
      await world.work();
      return world.endsOf(id, 'email');
    };
    world.addPerson(PROD, 'ann', { email: 'ann@example.com' });
    expect(await sent('ann')).toEqual(['sent']);
    expect(await sent('ann')).toEqual([CAPPED]);
    // The hourly rule was full, so nothing of the daily one was reserved.
    expect(await mail()).toEqual(['sent']);
    expect(await mail()).toEqual([CAPPED]);
    world.clock.advance(HOUR);
    expect(await sent('ann')).toEqual([CAPPED]);
  });

  it('transactional messages neither count nor are capped unless a rule names their class', async () => {
    const important = async () => {
      const id = await world.push(['ann'], { class: 'transactional' });
      await world.work();
      return world.endsOf(id);
    };
    world.set(rule(1));
    for (const kind of ['marketing', 'transactional', 'all'] as const) {
      world.set(rule(1, { class: kind }));
      expect([await sent('ann'), await important(), await important()].flat()).toEqual(
        { marketing: ['sent', 'sent', 'sent'], transactional: ['sent', 'sent', CAPPED], all: ['sent', CAPPED, CAPPED] }[
          kind
        ],
      );
    }
  });

  it("counts survive changes of other rules and of the rule's own maximum", async () => {
    expect(await sent('ann')).toEqual(['sent']);
    world.set(rule(9, { channel: 'sms' }), rule(2, { per: { n: 24, unit: 'hour' } }));
    expect(await sent('ann')).toEqual(['sent']);
    expect(await sent('ann')).toEqual([CAPPED]);
    world.set(rule(4));
    expect([await sent('ann'), await sent('ann'), await sent('ann')].flat()).toEqual(['sent', 'sent', CAPPED]);
  });

  it('an entry is released if every device was rejected, not if one accepted or may have', async () => {
    world.set(rule(1));
    const cases: readonly (readonly [string, SendOutcome[], string])[] = [
      ['both reject', [REFUSED, REFUSED], 'sent'],
      ['one takes it', [REFUSED], CAPPED],
      ['one is ambiguous and rejects at last', [REFUSED, SILENT, REFUSED], CAPPED],
      ['one is busy and rejects at last', [REFUSED, BUSY, REFUSED], 'sent'],
    ];
    for (const [name, outcomes, next] of cases) {
      world.clock.advance(24 * HOUR);
      answers(...outcomes);
      const id = await world.push(['ben']);
      await world.work();
      world.clock.advance(HOUR);
      await world.work();
      expect([name, (await world.endsOf(id)).filter((end) => end === 'failed').length]).toEqual([
        name,
        name === 'one takes it' ? 1 : 2,
      ]);
      expect([name, await sent('ben')]).toEqual([name, [next, next]]);
    }
  });

  it('an entry of a message that another rule stops goes to the next message', async () => {
    world.set(rule(2, { channel: 'push', class: 'all' }), rule(1));
    const stopped = await world.push(['ann']);
    const next = await world.push(['ann'], { class: 'transactional' });
    const claimed = await world.worker.claim();
    let isLate = true;
    const late = world.cappedEngine({
      ...world.storage,
      commit: async (plan) => {
        const wasLate = isLate;
        isLate = false;
        if (wasLate) expect(await sent('ann')).toEqual(['sent']);
        return world.storage.commit(plan);
      },
    });
    const worker = hand(world.database, late.registrations.messages);
    await worker.commit(await worker.process(claimed));
    expect([await world.endsOf(stopped), await world.endsOf(next)]).toEqual([[CAPPED], ['sent']]);
    await late.close();
  });

  it('a message in flight when its worker died keeps its entry and may be sent again', async () => {
    world.set(rule(1));
    answers(SILENT, REFUSED);
    const id = await world.push(['ann']);
    // Handed over, without an answer.
    await world.worker.process(await world.worker.claim());
    world.clock.advance(60_000);
    await world.work();
    expect(await world.endsOf(id)).toEqual(['failed']);
    expect(await sent('ann')).toEqual([CAPPED]);
  });

  it('caps count a device without a user, an address, and for copies the recipient of the original', async () => {
    world.set(rule(1));
    const mail = async (body: object) => {
      const { id } = await world.mail(PROD, { subject: 'Hi', text: 'Hello', ...body });
      await world.work();
      return world.endsOf(id, 'email');
    };
    expect(await mail({ to: 'ann@example.com', cc: ['bob@example.com'] })).toEqual(['sent', 'sent']);
    expect(await mail({ to: 'Ann@example.com', cc: ['cid@example.com'] })).toEqual([CAPPED, CAPPED]);
    expect(await mail({ to: 'bob@example.com' })).toEqual(['sent']);
    const known = world.entries();
    expect((await known).some(({ person }) => /example/.test(person))).toBe(false);
  });

  it('an email with copies counts as one handover, released with the email whatever happens to its copies', async () => {
    world.set(rule(1));
    const mail = async () => {
      const copies = { cc: ['bob@example.com', 'cid@example.com'], bcc: 'dee@example.com' };
      const { id } = await world.mail(PROD, { subject: 'Hi', text: 'Hello', to: 'ann@example.com', ...copies });
      return id;
    };
    /** The email provider answers by the mailbox of the handover. */
    const answersTo = (answer: (to: string) => SendOutcome) =>
      world.credentials.configure({ ...PROD, channel: 'email' }, (message) =>
        'envelope' in message ? answer(message.envelope.to) : REFUSED,
      );
    const handovers = async () => (await world.entries()).map((entry) => entry.handovers);
    for (const size of [undefined, 1]) {
      const id = await mail();
      await world.work(size);
      expect(await world.endsOf(id, 'email')).toEqual(Array(4).fill('sent'));
      expect(await handovers()).toEqual([1]);
      world.clock.advance(24 * HOUR);
      await world.sweep();
    }
    for (const size of [undefined, 1]) {
      // The email is rejected and its copies are accepted: nothing reached its recipient.
      answersTo((to) => (to === 'ann@example.com' ? REFUSED : ACCEPTED));
      const id = await mail();
      await world.work(size);
      expect(await world.endsOf(id, 'email')).toEqual(['failed', 'sent', 'sent', 'sent']);
      expect(await handovers()).toEqual([]);
    }
    // A rejected copy releases nothing of the accepted email.
    answersTo((to) => (to === 'ann@example.com' ? ACCEPTED : REFUSED));
    const id = await mail();
    await world.work();
    expect(await world.endsOf(id, 'email')).toEqual(['sent', 'failed', 'failed', 'failed']);
    expect(await handovers()).toEqual([1]);
    const next = await mail();
    await world.work();
    expect(await world.endsOf(next, 'email')).toEqual(Array(4).fill(CAPPED));
    // Copies handed over by another worker than their email are counted too.
    const other = world.cappedEngine(world.storage);
    const apart = await mail();
    const held = await world.worker.claim(1);
    while ((await hand(world.database, other.registrations.messages).turn()) > 0);
    expect(await world.endsOf(apart, 'email')).toEqual(['queued', CAPPED, CAPPED, CAPPED]);
    await world.worker.commit(await world.worker.process(held));
    expect(await world.endsOf(apart, 'email')).toEqual(Array(4).fill(CAPPED));
    await other.close();
  });

  it('workers that read concurrently and write in turn keep the cap', async () => {
    const random = randomOf(1);
    const storages = Array.from({ length: 4 }, () => world.storage);
    const figures = await race(world, storages, { name: 'race', users: 5, sends: 20, cap: 3, random });
    expect(figures).toEqual({ over: 0, under: 0, sent: 15, suppressed: 85 });
  });

  it('the explanation of a message and a dry run show the counts of each rule', async () => {
    world.set(rule(1), rule(9, { channel: 'push', per: { n: 2, unit: 'week' } }));
    expect(await sent('ann')).toEqual(['sent']);
    const id = await world.push(['ann', 'ben']);
    const explained = await Promise.all(
      (await world.messagesOf(id)).map(
        async (one) => (await world.engine.sends.message(PROD, 'push', one.id)).explanation,
      ),
    );
    expect(explained.map(({ stoppedBy, gates }) => [stoppedBy, gates.at(-1)?.evidence])).toEqual([
      ['frequency_cap', { 'all marketing per 1 day': '1 of 1', 'push marketing per 2 week': '1 of 9' }],
      ...Array(2).fill([null, { 'all marketing per 1 day': '0 of 1', 'push marketing per 2 week': '0 of 9' }]),
    ]);
    const before = await world.entries();
    const dry = await world.engine.submit(PROD, {
      channel: 'push',
      source: 'api',
      class: 'marketing',
      title: null,
      content: {},
      variables: {},
      recipients: ['ann', 'ben'].map((userId) => ({ kind: 'user', userId })),
      isDryRun: true,
    });
    expect(dry).toMatchObject({
      suppressed: { frequency_cap: 1 },
      messages: [
        { status: 'suppressed', reason: 'frequency_cap', content: null },
        { status: 'queued' },
        { status: 'queued' },
      ],
    });
    expect(await world.entries()).toEqual(before);
  });

  it('entries and locks disappear after their window and when the user is erased', async () => {
    await sent('ann');
    await sent('ben');
    await world.accept(PROD, draftTo(addresses('cid@example.com'), { text: 'Hello' }));
    await world.work();
    expect(await world.entries()).toHaveLength(3);
    const erase = world.eraser.begin({
      scope: PROD,
      userId: 'ann',
      people: ['u:ann'],
      addresses: ['Cid@example.com'],
    });
    while ((await erase()).isMore);
    expect((await world.entries()).map(({ person }) => person)).toEqual(['u:ben']);
    // Only PostgreSQL has rows to lock.
    const locked = world.database.dialect === 'postgres' ? ['u:ben'] : [];
    expect((await world.locks()).map(({ person }) => person)).toEqual(locked);
    world.clock.advance(24 * HOUR - 1);
    await world.sweep();
    expect(await world.entries()).toHaveLength(1);
    world.clock.advance(1);
    expect(await world.sweep()).toBe(false);
    expect(await world.entries()).toEqual([]);
    expect(await world.locks()).toEqual([]);
  });

  it('a message without a rule causes no read or write', async () => {
    world.set(rule(1, { channel: 'sms' }));
    const ran: string[] = [];
    world.observer.statement = (id) => ran.push(id);
    answers(REFUSED);
    await sent('ben');
    expect(ran.filter((id) => id.startsWith('caps.'))).toEqual([]);
    world.set(rule(9));
    await sent('ben');
    const writes = world.database.dialect === 'postgres' ? ['caps.lock', 'caps.take'] : ['caps.take'];
    expect(ran.filter((id) => id.startsWith('caps.'))).toEqual(writes);
  });
});
