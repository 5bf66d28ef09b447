// Checks SPF and DMARC of a domain. Advice only: verification does not need them.

import type { DomainCheck } from './answers.generated.ts';
import type { LookUpTxt, TxtAnswer } from './look-up.ts';

const UNKNOWN = 'The name servers gave no answer.';
/** Maximum parent names checked for a policy. Chosen: deeper names are rare. Source: RFC 9091. */
const MAX_PARENTS = 5;

const startingWith = (answer: TxtAnswer, start: RegExp): readonly string[] =>
  answer.kind === 'records' ? answer.records.filter((record) => start.test(record)) : [];

/** Source: RFC 7208, 3.2, 4.5 and 5.1. Pure. */
export const spfAdvice = (answer: TxtAnswer): DomainCheck => {
  const name = 'spf';
  if (answer.kind === 'unknown') return { name, state: 'unknown', message: UNKNOWN };
  const [record, second] = startingWith(answer, /^v=spf1(?: |$)/i);
  if (record === undefined)
    return {
      name,
      state: 'missing',
      message:
        'There is no SPF record: set a TXT record v=spf1 that includes every service that sends for the domain, and ends with ~all or -all.',
    };
  if (second !== undefined)
    return { name, state: 'wrong', message: 'Two SPF records exist, and receivers ignore both. Merge them into one.' };
  if (/(?:^| )\+?all(?: |$)/i.test(record))
    return { name, state: 'wrong', message: 'The SPF record allows every sender. End it with ~all or -all.' };
  return { name, state: 'found', message: 'SPF record found.' };
};

/** Source: RFC 7489, 6.3. Pure. */
export const dmarcAdvice = (answer: TxtAnswer): DomainCheck => {
  const name = 'dmarc';
  if (answer.kind === 'unknown') return { name, state: 'unknown', message: UNKNOWN };
  const [record, second] = startingWith(answer, /^v=DMARC1\s*(?:;|$)/i);
  if (record === undefined)
    return {
      name,
      state: 'missing',
      message:
        'There is no DMARC record, which large receivers ask of bulk senders: set a TXT record _dmarc with v=DMARC1; p=none; rua=mailto:...',
    };
  if (second !== undefined)
    return {
      name,
      state: 'wrong',
      message: 'Two DMARC records exist, and receivers ignore both. Merge them into one.',
    };
  const policy = /;\s*p\s*=\s*(none|quarantine|reject)\s*(?:;|$)/i.exec(record)?.[1]?.toLowerCase();
  if (policy === undefined)
    return { name, state: 'wrong', message: 'The DMARC record has no policy: add p=none, p=quarantine or p=reject.' };
  return policy === 'none'
    ? {
        name,
        state: 'found',
        message: 'The DMARC record only monitors. Use p=quarantine or p=reject to protect the domain.',
      }
    : { name, state: 'found', message: 'DMARC record found.' };
};

/** The DMARC record of the domain, or of its nearest parent that has one. */
const dmarcOf = async (lookUp: LookUpTxt, domain: string): Promise<TxtAnswer> => {
  const labels = domain.split('.');
  let last: TxtAnswer = { kind: 'absent' };
  for (let up = 0; up < MAX_PARENTS && labels.length - up >= 2; up += 1) {
    last = await lookUp(`_dmarc.${labels.slice(up).join('.')}`);
    if (last.kind === 'unknown' || startingWith(last, /^v=DMARC1/i).length > 0) return last;
  }
  return last;
};

/** Looks both up. Never rejects. */
export const adviceFor = async (lookUp: LookUpTxt, domain: string): Promise<readonly DomainCheck[]> => {
  const [spf, dmarc] = await Promise.all([lookUp(domain), dmarcOf(lookUp, domain)]);
  return [spfAdvice(spf), dmarcAdvice(dmarc)];
};
