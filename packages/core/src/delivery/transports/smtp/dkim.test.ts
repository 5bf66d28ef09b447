import { generateKeyPairSync } from 'node:crypto';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { describe, expect, it } from 'vitest';
import { relayForTest, smtpForTest } from '../../../../test/support/transports/smtp-fixture.ts';
import { newDkimKey } from '../../../messaging/email/domains/domains.ts';
import { recordsOf } from '../../../messaging/email/domains/records.ts';
import type { DkimKey } from './dkim.ts';

const LIST = {
  'Message-ID': '<m-1@shop.test>',
  'List-Unsubscribe': '<https://shop.test/u/abc>',
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
};
const notThere = (): Error => Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });

const signed = async () => {
  const { privateKey, publicKey } = await newDkimKey();
  const key: DkimKey = { domainName: 'shop.test', keySelector: 'beckon-1', privateKey };
  const dkim = { domain: 'shop.test', nonce: 'n', dkimSelector: 'beckon-1', dkimPublicKey: publicKey };
  const record = recordsOf(dkim).find(({ purpose }) => purpose === 'dkim');
  const relay = await relayForTest();
  const asked: string[] = [];
  const dkimOf = async (address: string): Promise<DkimKey | null> => {
    asked.push(address);
    return address.endsWith('@shop.test') ? key : null;
  };
  const { send } = smtpForTest(relay.port, { dkimOf });
  /** Verifies a mail as a receiver with the DNS record does, by an independent verifier. */
  const judged = async (raw: string): Promise<readonly string[]> => {
    const resolver = async (name: string, type: string): Promise<string[][]> => {
      if (name !== record?.name || type !== 'TXT') throw notThere();
      return [[record.value]];
    };
    const { results } = await dkimVerify(Buffer.from(raw, 'latin1'), { resolver });
    return results.map(({ status: { result }, signingDomain }) => `${result} ${signingDomain ?? '-'}`);
  };
  return { relay, send, judged, asked };
};

describe('signing of mail', () => {
  it('an independent verifier accepts the DKIM signature, including the unsubscribe headers', async () => {
    const { relay, send, judged } = await signed();
    const mail = relay.mail({
      subject: 'Grüße, 日本語',
      text: 'Grüße\r\n.\r\n..dots\r\n  \r\n\r\n',
      html: '<p>Grüße</p>',
      headers: LIST,
      replyTo: { email: 'help@shop.test', name: 'Help' },
      attachments: [{ filename: 'a.bin', contentType: 'application/octet-stream', content: 'AAEC', cid: null }],
    });
    expect(await send(mail)).toMatchObject({ result: 'accepted' });
    const raw = relay.received[0]?.raw ?? '';
    expect(await judged(raw)).toEqual(['pass shop.test']);
    const covered = /^DKIM-Signature:[\s\S]*?\bh=([^;]+);/im
      .exec(raw)?.[1]
      ?.replace(/\s+/g, '')
      .toLowerCase()
      .split(':');
    expect(covered).toEqual(
      expect.arrayContaining(['from', 'to', 'subject', 'message-id', 'list-unsubscribe', 'list-unsubscribe-post']),
    );
    for (const [was, is] of [
      ['List-Unsubscribe: <https://shop', 'List-Unsubscribe: <https://evil'],
      ['Reply-To: Help', 'Reply-To: Hell'],
      ['AAEC', 'AAED'],
    ] as const) {
      expect(raw).toContain(was);
      expect((await judged(raw.replace(was, is)))[0]).toMatch(/^(?:fail|neutral) /);
    }
  });

  it('mail of a domain without a DKIM key stays unsigned', async () => {
    const { relay, send, judged, asked } = await signed();
    await send(relay.mail({ from: { email: 'news@other.test', name: null } }));
    expect(relay.received[0]?.raw).not.toMatch(/^DKIM-Signature:/im);
    expect((await judged(relay.received[0]?.raw ?? ''))[0]).toMatch(/^none/);
    expect(asked).toEqual(['news@other.test']);
  });

  it('a DKIM key that the library would silently ignore is never used', async () => {
    const { privateKey } = generateKeyPairSync('ed25519', {
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const relay = await relayForTest();
    const { send } = smtpForTest(relay.port, {
      dkimOf: async () => ({ domainName: 'shop.test', keySelector: 's', privateKey }),
    });
    expect(await send(relay.mail())).toMatchObject({ result: 'failed', code: 'dkim_key_unusable' });
    expect(relay.received).toEqual([]);
  });
});
