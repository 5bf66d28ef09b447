import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase } from '../../../../test/support/database.ts';
import {
  addresses,
  draftTo,
  hand,
  numbered,
  openWorld,
  PROD,
  START,
  TEST,
  type World,
} from '../../../../test/support/sends/world.ts';
import { createBeckon } from '../../../app/create.ts';
import { virtualClock } from '../../../foundation/clock.ts';
import { newMasterKey } from '../../../foundation/secrets.ts';
import { limitsEngine } from '../../../platform/limits/limits.ts';
import type { SendRequest } from '../schema.ts';

const MAIL = { ...PROD, channel: 'email' } as const;
const WORKERS = 4;

describe('the email rate limit of an organization', () => {
  let world: World;
  let workers: World['messages'][];
  beforeEach(async () => {
    world = await openWorld();
    world.credentials.configure(MAIL);
    const { storage, tables, clock } = world;
    const plans = { allows: async () => true, require: async () => undefined };
    workers = Array.from({ length: WORKERS }, () => {
      const { mailPermits } = limitsEngine({ storage, tables, clock, plans, isOrg: async () => true });
      return hand(world.database, world.engine({ permits: mailPermits }).registrations.messages);
    });
  });
  afterEach(() => world.close());

  const mail = async (count: number, more: Partial<SendRequest> = {}, scope = PROD) => {
    for (let at = 0; at < count; at += 1)
      await world.accept(scope, { ...draftTo(addresses('a@example.com')), ...more });
  };
  const drain = async (): Promise<void> => {
    await Promise.all(
      workers.map(async ({ turn }) => {
        while ((await turn(10)) > 0);
      }),
    );
  };
  const rows = () => world.storage.db.select().from(world.tables.messages).orderBy(world.tables.messages.id);
  const arrived = () => world.credentials.handed.length;

  it('60 sends start at once and then one per second, with any number of workers, and none is lost', async () => {
    await mail(75);
    await drain();
    expect(arrived()).toBe(60);
    const waiting = (await rows()).filter(({ status }) => status === 'queued');
    expect(waiting.map(({ attempt, reason, errorCode }) => [attempt, reason, errorCode])).toEqual(
      Array.from({ length: 15 }, () => [0, null, null]),
    );
    expect(waiting.every(({ dueAt, deferredUntil }) => dueAt?.getTime() === deferredUntil?.getTime())).toBe(true);
    const each: number[] = [];
    for (let second = 1; second <= 20; second += 1) {
      world.clock.advance(1_000);
      await drain();
      each.push(arrived());
    }
    expect(Math.max(...each.map((count, at) => count - 60 - (at + 1)))).toBeLessThanOrEqual(0);
    for (let second = 0; second < 60 && arrived() < 75; second += 1) {
      world.clock.advance(1_000);
      await drain();
    }
    expect((await rows()).map(({ status, attempt }) => `${status} ${attempt}`)).toEqual(Array(75).fill('sent 1'));
    expect(arrived()).toBe(75);
  });

  it('a send takes one permit for all recipients; sandbox sends and sends counted at acceptance take none', async () => {
    await mail(20, { hasMailPermit: true });
    await mail(20, {}, TEST);
    await mail(59);
    await drain();
    await mail(1, { recipients: addresses(...numbered(30)) });
    workers.splice(1);
    await drain();
    expect((await rows()).map(({ status }) => status)).toEqual(Array(20 + 20 + 59 + 30).fill('sent'));
    await mail(1);
    await drain();
    expect((await rows()).at(-1)).toMatchObject({ status: 'queued' });
  });

  it('a send whose messages are not handed over returns its permit', async () => {
    world.addPerson(PROD, 'ann', {});
    const content = { subject: '{{trait.nothing}}', text: '{{trait.nothing}}' };
    await mail(30, { content });
    await drain();
    expect((await rows()).map(({ status }) => status)).toEqual(Array(30).fill('suppressed'));
    await mail(60);
    await drain();
    expect(arrived()).toBe(60);
  });
});

it('host calls and workflow steps wait where API requests are rejected', async () => {
  const clock = virtualClock(START);
  const database = await openTestDatabase({ clock });
  const sent: string[] = [];
  const send = async ({ envelope }: { envelope: { to: string } }) => {
    sent.push(envelope.to);
    return { result: 'accepted', providerId: null } as const;
  };
  const make = () => ({ name: 'courier', maxInFlight: 10, send, close: async () => undefined });
  const beckon = await createBeckon({
    db: database.url,
    masterKey: newMasterKey(),
    clock,
    email: { mailsPerMinute: 3 },
    transports: { email: { name: 'courier', make, from: { email: 'news@shop.test', name: null } } },
  });
  try {
    const org = await beckon.tenancy.createOrg({ name: 'Acme' });
    const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
    const scope = await beckon.tenancy.scope({ orgId: org.id, projectId: project.id, environment: 'prod' });
    const steps = [{ type: 'send_email', config: { subject: 'Hi', text: 'Of a step' } }] as const;
    const workflow = { name: 'Greet', description: null, isActive: true, trigger: { eventType: 'came' }, steps };
    const exportedAt = '2026-01-01T00:00:00.000Z';
    await beckon.workflows.importBundle(scope, { version: 1, exportedAt, workflows: [workflow] });
    const sendTo = (to: string) =>
      beckon.limits.mailRequest(scope, () => beckon.email.send(scope, { to, subject: 's', text: 't' }));
    await sendTo('asked@example.com');
    await beckon.email.send(scope, { to: 'host@example.com', subject: 's', text: 't' });
    await beckon.events.identify(scope, { userId: 'ann', traits: { email: 'ann@example.com' } });
    for (let round = 0; round < 3; round += 1)
      await beckon.events.track(scope, { module: 'app', eventType: 'came', userId: 'ann' });
    await beckon.worker.drain();
    expect(sent.toSorted()).toEqual(['ann@example.com', 'asked@example.com', 'host@example.com']);
    await expect(sendTo('late@example.com')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    clock.advance(60_000);
    await beckon.worker.drain();
    expect(sent).toHaveLength(5);
  } finally {
    await beckon.close();
    await database.close();
  }
});
