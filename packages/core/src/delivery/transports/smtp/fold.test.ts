import { dkimSign } from 'mailauth/lib/dkim/sign.js';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { seeded } from '../../../../test/support/seeded.ts';
import { isWhole, testSeed } from '../../../../test/support/test-seed.ts';
import { relayForTest, smtpForTest } from '../../../../test/support/transports/smtp-fixture.ts';
import { type DkimKeyPair, newDkimKey } from '../../../messaging/email/domains/domains.ts';
import { MAX_LINE_OCTETS } from '../../../messaging/email/headers.ts';
import { mimeOf } from '../mail-http/mime.ts';
import type { EmailMessage } from '../port.ts';
import { foldHeader } from './fold.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
/** Headers whose value nodemailer writes unchanged. */
const NAMES = [
  'List-Unsubscribe',
  'List-Id',
  'Feedback-ID',
  'References',
  'In-Reply-To',
  'Auto-Submitted',
  'X-A',
  `X-${'Long-'.repeat(14)}Name`,
];
/** Lengths around the limits at which lines are folded or end. */
const LENGTHS = [1, 40, 57, 58, 59, 60, 61, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 150, 400, 900];

const unfolded = (raw: string): string => raw.replace(/\r\n(?=[ \t])/g, '');
const headOf = (raw: string): string => raw.slice(0, raw.indexOf('\r\n\r\n'));
const valueIn = (raw: string, name: string): string | undefined =>
  unfolded(headOf(raw))
    .split('\r\n')
    .find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}: `))
    ?.slice(name.length + 2);

/** Faults that relays and receivers may reject; empty if there are none. */
const faultsOf = (raw: string): readonly string[] =>
  headOf(raw)
    .split('\r\n')
    .flatMap((line) => [
      ...(Buffer.byteLength(line) > MAX_LINE_OCTETS ? [`${line.slice(0, 30)} is too long`] : []),
      ...(line.trim() === '' || /^[^\s:]+:[ \t]*$/.test(line) ? [`"${line}" is empty`] : []),
    ]);

const mailOf = (fields: Partial<EmailMessage> = {}): EmailMessage => ({
  messageId: 'm-1',
  sendId: 's-1',
  envelope: { from: 'news@shop.test', to: 'ada@example.test' },
  from: { email: 'news@shop.test', name: 'Shop' },
  to: { email: 'ada@example.test', name: null },
  cc: [],
  replyTo: null,
  subject: 'Hello',
  text: 'Hello',
  html: null,
  headers: {},
  attachments: [],
  ...fields,
});
const rawOf = async (fields: Partial<EmailMessage>): Promise<string> =>
  Buffer.from(await mimeOf(mailOf(fields), NOW)).toString('latin1');

describe('folding of headers', () => {
  let key: DkimKeyPair;
  beforeAll(async () => {
    key = await newDkimKey();
  });

  /**
   * A receiver's verdict on a mail that a relay signed on its way. The relay reads a value from its first letter on, as
   * milters receive it, and signs that.
   */
  const judged = async (raw: string, canonicalization: string): Promise<string | undefined> => {
    const seen = raw.replace(/^([^\s:]+:)\s+/gm, '$1 ');
    const as = { canonicalization, signingDomain: 'relay.test', selector: 's', privateKey: key.privateKey };
    const { signatures } = await dkimSign(Buffer.from(seen, 'latin1'), {
      ...as,
      signatureData: [as],
      headerList: ['From', 'To', 'Cc', 'Reply-To', 'Subject', 'Message-ID', 'Content-Type', ...NAMES],
    });
    const resolver = async (): Promise<string[][]> => [[`v=DKIM1; k=rsa; p=${key.publicKey}`]];
    const { results } = await dkimVerify(Buffer.from(signatures + raw, 'latin1'), { resolver });
    return results[0]?.status.result;
  };

  it("folding keeps each value, puts the name and its first word on one line, and keeps later relays' signatures valid", async () => {
    const seed = testSeed();
    const random = seeded(seed);
    const word = (length: number): string => `<${'abcdefghij'.repeat(100).slice(0, Math.max(1, length - 2))}>`;
    const values = (length: number): string =>
      random() < 0.5 ? word(length) : `${word(Math.ceil(length / 2))} ${word(Math.floor(length / 2))} <z>`;
    for (const length of isWhole() ? Array.from({ length: 900 }, (_, at) => at + 1) : LENGTHS) {
      const headers = Object.fromEntries(NAMES.map((name) => [name, values(length)]));
      const raw = await rawOf({ headers });
      const about = `seed ${seed}, length ${length}`;
      expect(faultsOf(raw), about).toEqual([]);
      for (const [name, value] of Object.entries(headers)) expect(valueIn(raw, name), `${about}, ${name}`).toBe(value);
      for (const canonicalization of ['simple/simple', 'relaxed/relaxed'])
        expect(await judged(raw, canonicalization), `${about}, ${canonicalization}`).toBe('pass');
    }
  });

  it("folding keeps the service's own values: addresses, Message-ID, subject, types and names of files", async () => {
    const email = `${'a'.repeat(64)}@${'b'.repeat(60)}.${'c'.repeat(60)}.test`;
    const box = { email, name: null };
    for (const subject of ['s'.repeat(998), `${'s'.repeat(120)} t`, 'ß'.repeat(400), `a${' '.repeat(996)}b`]) {
      const raw = await rawOf({
        from: box,
        to: box,
        cc: [box, box],
        replyTo: box,
        subject,
        messageId: 'm'.repeat(200),
        attachments: [
          { filename: `${'f'.repeat(200)}.pdf`, contentType: 'application/pdf', content: 'AAEC', cid: 'c@d' },
        ],
      });
      expect(faultsOf(raw)).toEqual([]);
      expect([valueIn(raw, 'From'), valueIn(raw, 'To'), valueIn(raw, 'Cc')]).toEqual([
        email,
        email,
        `${email}, ${email}`,
      ]);
      expect(valueIn(raw, 'Message-ID')).toBe(`<${'m'.repeat(200)}@${email.slice(65)}>`);
      for (const part of raw.split('\r\n--').slice(1, 3)) expect(faultsOf(part.replace(/^.*\r\n/, ''))).toEqual([]);
      for (const canonicalization of ['simple/simple', 'relaxed/relaxed'])
        expect(await judged(raw, canonicalization), subject.slice(0, 8)).toBe('pass');
    }
  });

  it('folding never makes a line of only blanks', () => {
    const random = seeded(testSeed());
    for (let round = 0; round < 500; round += 1) {
      const words = Array.from(
        { length: 1 + Math.floor(random() * 8) },
        () => ' '.repeat(1 + Math.floor(random() ** 3 * 120)) + 'w'.repeat(1 + Math.floor(random() ** 2 * 120)),
      );
      const header = `X-Words:${words.join('')}${' '.repeat(Math.floor(random() * 3))}`;
      const folded = foldHeader(header);
      expect(unfolded(folded)).toBe(header);
      expect(faultsOf(`${folded}\r\n\r\n`)).toEqual([]);
      for (const line of folded.split('\r\n'))
        if (line.length > 76) expect(line.trim().replace(/^X-Words: +/, '')).toMatch(/^w+$/);
    }
  });

  it("folding over SMTP gives the same text beside the service's own signature", async () => {
    const relay = await relayForTest();
    const dkimOf = async () => ({ domainName: 'shop.test', keySelector: 's', privateKey: key.privateKey });
    const { send } = smtpForTest(relay.port, { dkimOf });
    const link = `<https://shop.test/u/${'t'.repeat(200)}>`;
    const mail = relay.mail({ headers: { 'List-Unsubscribe': link } });
    expect(await send(mail)).toMatchObject({ result: 'accepted' });
    const raw = relay.received[0]?.raw ?? '';
    expect(faultsOf(raw)).toEqual([]);
    expect(raw).toContain(`\r\nList-Unsubscribe: ${link}\r\n`);
    const resolver = async (): Promise<string[][]> => [[`v=DKIM1; k=rsa; p=${key.publicKey}`]];
    const { results } = await dkimVerify(Buffer.from(raw, 'latin1'), { resolver });
    expect(results.map(({ status }) => status.result)).toEqual(['pass']);
    expect(await judged(raw, 'simple/simple')).toBe('pass');
  });
});
