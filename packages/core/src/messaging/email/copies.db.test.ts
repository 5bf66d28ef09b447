import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorld, TEST, type World } from '../../../test/support/sends/world.ts';

const mail = { to: { email: 'ann@example.com', name: 'Ann' }, subject: 'Hi', text: 'There' };

describe('email copies', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });
  afterEach(() => world.close());

  it('each recipient of a copy gets an own email with the same headers', async () => {
    const send = await world.mail(TEST, {
      ...mail,
      cc: ['bob@example.com', 'cid@example.com'],
      bcc: 'dee@example.com',
    });
    expect(send).toMatchObject({ tokenCount: 4, counts: { targeted: 4 } });
    await world.drain();
    const { data } = await world.sending.sends.messages(TEST, 'email', send.id);
    expect(data.map(({ address, role, status }) => [address, role, status])).toEqual([
      ['ann@example.com', 'to', 'sent'],
      ['bob@example.com', 'cc', 'sent'],
      ['cid@example.com', 'cc', 'sent'],
      ['dee@example.com', 'bcc', 'sent'],
    ]);
    const caught = await world.caught();
    expect(caught.map(({ content }) => content['envelope'])).toMatchObject(
      ['ann', 'bob', 'cid', 'dee'].map((name) => ({ to: `${name}@example.com` })),
    );
    for (const { content } of caught) {
      expect([content['to'], content['cc']]).toEqual([
        { email: 'ann@example.com', name: 'Ann' },
        [
          { email: 'bob@example.com', name: null },
          { email: 'cid@example.com', name: null },
        ],
      ]);
    }
    expect(caught.filter(({ content }) => JSON.stringify(content).includes('dee@'))).toHaveLength(1);
  });

  it('a scheduled email keeps its copy recipients', async () => {
    const scheduledFor = new Date(world.clock.now().getTime() + 3_600_000).toISOString();
    const send = await world.mail(TEST, { ...mail, bcc: 'dee@example.com', scheduledFor });
    world.clock.advance(3_600_000);
    await world.drain();
    const { data } = await world.sending.sends.messages(TEST, 'email', send.id);
    expect(data.map(({ address, role, status }) => [address, role, status])).toEqual([
      ['ann@example.com', 'to', 'sent'],
      ['dee@example.com', 'bcc', 'sent'],
    ]);
  });

  it('no recipient gets the email twice', async () => {
    const send = await world.mail(TEST, { ...mail, cc: 'ANN@example.com', bcc: 'ann@example.com' });
    await world.drain();
    expect(await world.sending.sends.get(TEST, 'email', send.id)).toMatchObject({ counts: { sent: 1, suppressed: 2 } });
    expect(await world.caught()).toHaveLength(1);
  });

  it('the outbox shows attachments without their content', async () => {
    const content = Buffer.from('canary').toString('base64');
    const attachments = [{ filename: 'a.txt', contentType: 'text/plain', content }];
    const dry = await world.email.send(TEST, { ...mail, attachments, dryRun: true });
    await world.mail(TEST, { ...mail, attachments });
    await world.drain();
    const shown = [{ filename: 'a.txt', contentType: 'text/plain', cid: null, bytes: 6 }];
    expect(dry).toMatchObject({ messages: [{ content: { attachments: shown } }] });
    expect((await world.caught())[0]?.content).toMatchObject({ attachments: shown });
  });
});
