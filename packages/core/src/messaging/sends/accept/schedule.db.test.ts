import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addresses, draftTo, openWorld, PROD, TEST, users, type World } from '../../../../test/support/sends/world.ts';
import { MAX_AHEAD_MS } from '../schema.ts';

describe('a send for later', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });
  afterEach(() => world.close());

  const HOUR = 3_600_000;
  const inMs = (ms: number): Date => new Date(world.clock.now().getTime() + ms);

  it('a scheduled send is queued with its start time and not expanded earlier', async () => {
    const send = await world.mail(TEST, {
      to: ['ann@example.com', 'bob@example.com'],
      subject: 'Hi',
      text: 'There',
      scheduledFor: inMs(HOUR).toISOString(),
    });
    expect(send).toMatchObject({ status: 'queued', scheduledFor: inMs(HOUR), tokenCount: 2, counts: { targeted: 0 } });
    world.clock.advance(HOUR - 1);
    await world.drain();
    expect(await world.storage.db.select().from(world.tables.messages)).toEqual([]);
    world.clock.advance(1);
    await world.drain();
    expect(await world.sending.sends.get(TEST, 'email', send.id)).toMatchObject({
      status: 'sent',
      tokenCount: 2,
      counts: { targeted: 2, sent: 2 },
    });
  });

  it('a scheduled send uses the addresses that its recipients have at the start', async () => {
    world.addPerson(TEST, 'u1', { email: 'old@example.com' });
    await world.accept(TEST, { ...draftTo(users('u1')), scheduledFor: inMs(HOUR) });
    world.addPerson(TEST, 'u1', { email: 'new@example.com' });
    world.clock.advance(HOUR);
    await world.drain();
    expect((await world.caught()).map(({ address }) => address)).toEqual(['new@example.com']);
  });

  it('a send scheduled in the past starts now', async () => {
    const send = await world.accept(TEST, { ...draftTo(addresses('ann@example.com')), scheduledFor: inMs(-HOUR) });
    expect(send).toMatchObject({ scheduledFor: null, counts: { targeted: 1 } });
    await world.drain();
    expect(await world.caught()).toHaveLength(1);
  });

  it('a send is scheduled at most a year ahead', async () => {
    const far = (ms: number) => world.accept(TEST, { ...draftTo(addresses('a@example.com')), scheduledFor: inMs(ms) });
    await expect(far(MAX_AHEAD_MS + 1)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { fieldErrors: { scheduledFor: [expect.any(String)] } },
    });
    expect(await far(MAX_AHEAD_MS)).toMatchObject({ status: 'queued' });
  });

  it('a scheduled send needs a provider at acceptance', async () => {
    const request = { ...draftTo(addresses('a@example.com')), scheduledFor: inMs(HOUR) };
    await expect(world.accept(PROD, request)).rejects.toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED' });
    expect(await world.storage.db.select().from(world.tables.sends)).toEqual([]);
  });

  it('a scheduled send keeps its tags', async () => {
    const send = await world.mail(TEST, {
      to: 'ann@example.com',
      subject: 'Hi',
      text: 'There',
      category: 'news',
      tags: { season: 'spring' },
    });
    const stored = await world.sending.sends.get(TEST, 'email', send.id);
    expect(stored).toMatchObject(send);
    expect(stored).toMatchObject({ category: 'news', tags: { season: 'spring' } });
  });
});
