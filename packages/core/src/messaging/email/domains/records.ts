import type { DnsRecord, DomainCheck } from './answers.generated.ts';
import type { TxtAnswer } from './look-up.ts';

/** The facts that determine the records. */
export type DomainRecords = {
  readonly domain: string;
  readonly nonce: string;
  readonly dkimSelector: string | null;
  readonly dkimPublicKey: string | null;
};

/** Name of the ownership record. Source: transports, Verified sending domain. */
export const ownershipName = (domain: string): string => `_beckon.${domain}`;
export const dkimName = (domain: string, selector: string): string => `${selector}._domainkey.${domain}`;
const ownershipValue = (nonce: string): string => `beckon-verify=${nonce}`;

/** The records to publish. Pure. */
export const recordsOf = ({ domain, nonce, dkimSelector, dkimPublicKey }: DomainRecords): readonly DnsRecord[] => [
  { type: 'TXT', name: ownershipName(domain), value: ownershipValue(nonce), purpose: 'ownership' },
  ...(dkimSelector === null || dkimPublicKey === null
    ? []
    : [
        {
          type: 'TXT',
          name: dkimName(domain, dkimSelector),
          value: `v=DKIM1; k=rsa; p=${dkimPublicKey}`,
          purpose: 'dkim',
        } as const,
      ]),
];

const UNKNOWN = 'The name servers gave no answer; what was known before stays.';

/** Checks the ownership record. Pure. */
export const ownershipCheck = ({ domain, nonce }: DomainRecords, answer: TxtAnswer): DomainCheck => {
  const name = 'ownership';
  const expected = `a TXT record ${ownershipName(domain)} with ${ownershipValue(nonce)}`;
  if (answer.kind === 'unknown') return { name, state: 'unknown', message: UNKNOWN };
  if (answer.kind === 'absent') return { name, state: 'missing', message: `Set ${expected}.` };
  return answer.records.some((record) => record.trim() === ownershipValue(nonce))
    ? { name, state: 'found', message: 'The ownership record of the domain is correct.' }
    : { name, state: 'wrong', message: `What is there is another value: set ${expected}.` };
};

/** Tags of a record such as `v=DKIM1; p=...`, without white space. Source: RFC 6376, 3.2. */
const tagsOf = (record: string): ReadonlyMap<string, string> =>
  new Map(
    record.split(';').map((tag) => {
      const [name = '', ...value] = tag.split('=');
      return [name.trim(), value.join('=').replace(/\s+/g, '')];
    }),
  );

/** Checks the key record; null: no key. Pure. */
export const dkimCheck = (
  { domain, dkimSelector, dkimPublicKey }: DomainRecords,
  answer: TxtAnswer,
): DomainCheck | null => {
  if (dkimSelector === null || dkimPublicKey === null) return null;
  const name = 'dkim';
  const where = dkimName(domain, dkimSelector);
  if (answer.kind === 'unknown') return { name, state: 'unknown', message: UNKNOWN };
  if (answer.kind === 'absent')
    return { name, state: 'missing', message: `Set the TXT record ${where}; nothing is signed until it is there.` };
  return answer.records.some((record) => tagsOf(record).get('p') === dkimPublicKey)
    ? { name, state: 'found', message: 'Mail from this domain is signed.' }
    : {
        name,
        state: 'wrong',
        message: `The TXT record ${where} holds another key; nothing is signed until it is this one.`,
      };
};
