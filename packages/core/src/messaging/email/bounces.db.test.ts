import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { DELIVERY_REPORTS, REPORTED_MESSAGE } from '../../../test/support/email/delivery-reports.ts';
import type { Beckon } from '../../app/api.ts';
import { createBeckon } from '../../app/create.ts';
import { virtualClock } from '../../foundation/clock.ts';
import type { Scope } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';

const NOTHING = { result: 'ignored', reported: null, messageId: null };

describe('bounces by email', () => {
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  beforeEach(async () => {
    database = await openTestDatabase();
    beckon = await createBeckon({
      db: database.url,
      masterKey: newMasterKey(),
      clock: virtualClock('2026-03-01T12:00:00.000Z'),
    });
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
    await beckon.settings.update(scope, 'email', { bounceDomain: 'bounces.shop.test' });
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
  });

  /** Hands over emails to these addresses. */
  const mailed = async (addresses: readonly string[]) => {
    const sends: string[] = [];
    for (const to of addresses) {
      const send = await beckon.email.send(scope, { to, subject: 's', text: 't' });
      sends.push('id' in send ? send.id : '');
    }
    await beckon.worker.drain();
    return Promise.all(
      sends.map(async (id) => ({
        sendId: id,
        messageId: (await beckon.sends.messages(scope, 'email', id)).data[0]?.id ?? '',
      })),
    );
  };
  const take = (mail: string, messageId: string) =>
    beckon.bounces.ingest(Buffer.from(mail.replaceAll(REPORTED_MESSAGE, messageId), 'latin1'));

  it('every form of report ends its message and lists the address only if it is dead', async () => {
    const found = await mailed(DELIVERY_REPORTS.map((_, at) => `p${at}@example.com`));
    for (const [at, { says, mail, expected }] of DELIVERY_REPORTS.entries()) {
      const { messageId = '', sendId = '' } = found[at] ?? {};
      const taken = await take(mail, messageId);
      const reported = expected && { listed: 'bounced', failed: 'failed', noted: 'partial' }[expected.outcome];
      expect(taken, says).toEqual(expected ? { result: 'applied', reported, messageId } : NOTHING);
      expect(await take(mail, messageId), says).toMatchObject({ result: 'ignored' });
      const message = await beckon.sends.message(scope, 'email', messageId);
      const { counts } = await beckon.sends.get(scope, 'email', sendId);
      const outcome = expected?.outcome ?? 'nothing';
      const status = { listed: 'bounced', failed: 'failed', noted: 'sent', nothing: 'sent' }[outcome];
      expect(message, says).toMatchObject({ status, errorCode: expected?.code ?? null });
      expect(counts, says).toMatchObject({
        sent: Number(status === 'sent'),
        bounced: Number(status === 'bounced'),
        failed: Number(status === 'failed'),
      });
    }
    const dead = DELIVERY_REPORTS.flatMap(({ expected }, at) =>
      expected?.outcome === 'listed' ? [`p${at}@example.com`] : [],
    );
    const { data } = await beckon.suppressions.list(scope, 'email', { limit: 200 });
    expect(data.map(({ address }) => address).sort()).toEqual(dead.sort());
    expect(data.every(({ reason, source }) => reason === 'bounced_address' && source === 'provider')).toBe(true);
  });

  it('a later report of a dead address lists the address of a failed message', async () => {
    const [{ messageId } = { messageId: '' }] = await mailed(['ann@example.com']);
    const mailOf = (name: string) => DELIVERY_REPORTS.find(({ says }) => says === name)?.mail ?? '';
    await take(mailOf('Postfix: expired'), messageId);
    expect((await beckon.suppressions.list(scope, 'email')).data).toEqual([]);
    expect(await take(mailOf('Postfix: user unknown'), messageId)).toMatchObject({ result: 'applied' });
    expect(await beckon.sends.message(scope, 'email', messageId)).toMatchObject({ status: 'bounced' });
    expect((await beckon.suppressions.list(scope, 'email')).data).toMatchObject([{ address: 'ann@example.com' }]);
  });

  it('codes and texts of reports are made storable', async () => {
    const [{ messageId } = { messageId: '' }] = await mailed(['ann@example.com']);
    const { mail = '' } = DELIVERY_REPORTS.find(({ says }) => says === 'no code at all') ?? {};
    expect(await take(mail.replace('550 No', '550 \0No \ud800'), messageId)).toMatchObject({ result: 'applied' });
    expect(await beckon.sends.message(scope, 'email', messageId)).toMatchObject({
      status: 'failed',
      errorCode: '550',
      error: 'A mail server returned the mail.',
    });
  });
});
