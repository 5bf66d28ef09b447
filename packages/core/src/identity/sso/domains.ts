// Email domains of connections. Only a proven domain links identities to accounts by address, and selects a connection.

import { randomBytes } from 'node:crypto';
import type { Clock } from '../../foundation/clock.ts';
import { domainOf, mailAddress } from '../../foundation/email-address.ts';
import { notFound, validationError } from '../../foundation/errors.ts';
import type { Ids } from '../../foundation/ids.ts';
import { type InScope, type Scope, scopeOf } from '../../foundation/scope.ts';
import type { LookUpTxt, TxtAnswer } from '../../messaging/email/domains/look-up.ts';
import type { SsoDomain, SsoDomainChecked } from './answers.generated.ts';
import type { SsoConnections, SsoDomainRow } from './connections/connections.ts';

/** Time between checks of a proven domain. Source: authentication design, Proof of mailbox and linking. */
const RECHECK_MS = 86_400_000;
const NONCE_BYTES = 16;

const recordName = (domain: string): string => `_beckon-sso.${domain}`;
const recordValue = (nonce: string): string => `beckon-sso=${nonce}`;

/** A domain in lower case and in punycode; null unless it has two labels. Throws nothing. */
export const ssoDomainOf = (text: string): string | null => {
  const address = mailAddress(`a@${text.replace(/\.$/, '')}`);
  const domain = address === null ? '' : domainOf(address).toLowerCase();
  return domain.includes('.') ? domain : null;
};

export const domainView = (row: SsoDomainRow): SsoDomain => ({
  ...{ id: row.id, connectionId: row.connectionId, domain: row.domain, isVerified: row.verifiedAt !== null },
  ...{ txtName: recordName(row.domain), txtValue: recordValue(row.nonce) },
  ...{ createdAt: row.createdAt, verifiedAt: row.verifiedAt, checkedAt: row.checkedAt },
});

type Found = Pick<SsoDomainChecked, 'state' | 'message'>;

const found = ({ domain, nonce }: SsoDomainRow, answer: TxtAnswer): Found => {
  const expected = `a TXT record ${recordName(domain)} with ${recordValue(nonce)}`;
  if (answer.kind === 'unknown')
    return { state: 'unknown', message: 'The name servers gave no answer; what was known before stays.' };
  if (answer.kind === 'absent') return { state: 'missing', message: `Publish ${expected}.` };
  return answer.records.some((record) => record.trim() === recordValue(nonce))
    ? { state: 'found', message: 'The domain is proven.' }
    : { state: 'wrong', message: `The record has another value: publish ${expected}.` };
};

/** What a check changes. A proven domain stays so until its record is absent in two checks that are a day apart. */
const changesOf = (row: SsoDomainRow, { state }: Found, now: Date): Partial<SsoDomainRow> => {
  const checked = { checkedAt: now, recheckAt: new Date(now.getTime() + RECHECK_MS) };
  if (state === 'unknown') return checked;
  if (state === 'found') return { ...checked, verifiedAt: row.verifiedAt ?? now, absentAt: null };
  if (row.verifiedAt === null) return checked;
  if (row.absentAt === null) return { ...checked, absentAt: now };
  const isOver = now.getTime() - row.absentAt.getTime() >= RECHECK_MS;
  return { ...checked, ...(isOver && { verifiedAt: null, absentAt: null }) };
};

export type SsoDomains = {
  /** Throws NOT_FOUND. */
  require(scope: Scope, id: string): Promise<SsoDomainRow>;
  /** Throws VALIDATION_ERROR, CONFLICT `exists`. */
  add(scope: Scope, connectionId: string, text: string): Promise<SsoDomainRow>;
  /** Throws NOT_FOUND. */
  verify(scope: Scope, id: string): Promise<SsoDomainChecked>;
  /** True if an address is in a proven domain of a connection. */
  isProven(scope: InScope, connectionId: string, email: string): Promise<boolean>;
  /** Checks one domain that is due, of any environment. False: none is. */
  recheck(): Promise<boolean>;
};

export const ssoDomains = ({
  connections,
  lookUp,
  clock,
  ids,
}: {
  readonly connections: SsoConnections;
  readonly lookUp: LookUpTxt;
  readonly clock: Clock;
  readonly ids: Ids;
}): SsoDomains => {
  const require = async (scope: Scope, id: string): Promise<SsoDomainRow> => {
    const row = await connections.domain({ ...scopeOf(scope), id });
    if (!row) throw notFound('SSO domain with this id', scope);
    return row;
  };
  const check = async (row: SsoDomainRow): Promise<SsoDomainChecked | null> => {
    const result = found(row, await lookUp(recordName(row.domain)));
    const changed = await connections.changeDomain(row, changesOf(row, result, clock.now()));
    return changed && { ...domainView(changed), ...result };
  };
  return {
    require,
    add: async (scope: Scope, connectionId: string, text: string): Promise<SsoDomainRow> => {
      const domain = ssoDomainOf(text);
      if (domain === null) throw validationError({ domain: ['must be a domain such as example.com'] });
      const now = clock.now();
      const row: SsoDomainRow = {
        ...scopeOf(scope),
        ...{ id: ids.next(), connectionId, domain, nonce: randomBytes(NONCE_BYTES).toString('hex') },
        ...{ verifiedAt: null, absentAt: null, checkedAt: null, createdAt: now },
        recheckAt: new Date(now.getTime() + RECHECK_MS),
      };
      await connections.addDomain(row);
      return row;
    },
    verify: async (scope: Scope, id: string): Promise<SsoDomainChecked> => {
      const checked = await check(await require(scope, id));
      if (!checked) throw notFound('SSO domain with this id', scope);
      return checked;
    },
    isProven: async (scope: InScope, connectionId: string, email: string): Promise<boolean> => {
      const row = await connections.byDomain(scope, domainOf(email).toLowerCase());
      return row !== null && row.connectionId === connectionId && row.verifiedAt !== null;
    },
    recheck: async (): Promise<boolean> => {
      const now = clock.now();
      const due = await connections.takeDue(now, new Date(now.getTime() + RECHECK_MS));
      if (!due) return false;
      await check(due);
      return true;
    },
  };
};
