// Sending domains: created with the DNS records that prove ownership, verified on request and once a day.

import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { insertBelow } from '../../../database/statements/capped.ts';
import type { Storage } from '../../../database/storage.ts';
import type { DkimKey } from '../../../delivery/transports/smtp/dkim.ts';
import type { Clock } from '../../../foundation/clock.ts';
import { DEFINITION_CAPS } from '../../../foundation/definition-caps.ts';
import { capReached, conflict, notFound } from '../../../foundation/errors.ts';
import type { Ids } from '../../../foundation/ids.ts';
import { lru } from '../../../foundation/lru.ts';
import { idOf, listPage } from '../../../foundation/page.ts';
import { type InScope, type Scope, type ScopeDirectory, scopeKey, scopeOf } from '../../../foundation/scope.ts';
import type { Keyring, SecretPlace } from '../../../platform/tenancy/keyring.ts';
import type { LoadSenderRules } from '../../sends/senders.ts';
import { adviceFor } from './advice.ts';
import type { EmailDomain, EmailDomainChecked } from './answers.generated.ts';
import type { EmailDomainsApi } from './api.ts';
import type { LookUpTxt } from './look-up.ts';
import { dkimCheck, dkimName, ownershipCheck, ownershipName, recordsOf } from './records.ts';
import { parseEmailDomain } from './schema.ts';
import { coveringDomain, mayBeFrom, senderDomainCache } from './sender-domains.ts';
import { type DomainKey, type EmailDomainRow, emailDomainStore } from './store.ts';
import type { EmailDomainTables } from './tables.ts';

/** Source: RFC 8301, 3.2. */
const MODULUS_BITS = 2_048;
const generate = promisify(generateKeyPair);

export type DkimKeyPair = {
  /** PEM, PKCS 8. */
  readonly privateKey: string;
  /** Base64 of the SubjectPublicKeyInfo, as in a DNS record. Source: RFC 6376, 3.6.1. */
  readonly publicKey: string;
};

/**
 * Makes a DKIM key. RSA, because receivers need not support other algorithms, and a mail library sends unsigned with a
 * key that it cannot use.
 */
export const newDkimKey = async (): Promise<DkimKeyPair> => {
  const { privateKey, publicKey } = await generate('rsa', {
    modulusLength: MODULUS_BITS,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'der' },
  });
  return { privateKey, publicKey: publicKey.toString('base64') };
};

/** Time between verifications, in milliseconds. Source: transports, Verified sending domain. */
const RECHECK_MS = 86_400_000;
/** Decrypted private keys in the cache. Chosen: more than domains that send at once. */
const MAX_KEYS = 200;

/** Dependencies of this module's functions. `module.ts` builds it once. */
export type EmailDomainsContext = {
  readonly storage: Storage;
  readonly tables: EmailDomainTables;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly keyring: Pick<Keyring, 'seal' | 'openText'>;
  readonly scopes: ScopeDirectory;
  readonly lookUp: LookUpTxt;
  readonly isAlwaysRequired: boolean;
};

/** Functions for other modules. */
export type EmailDomains = {
  /** Allowed senders; at most 10 s old. */
  readonly senders: LoadSenderRules;
  /** DKIM key for a sender address; null: none, or its record is not published. */
  dkimOf(scope: InScope, address: string): Promise<DkimKey | null>;
};

/** The place for which a private key is encrypted. */
export const dkimPlace = ({ orgId, projectId, environment }: Scope, id: string): SecretPlace => ({
  orgId,
  projectId,
  environment,
  table: 'email_domains',
  column: 'dkim_sealed',
  rowId: id,
});

const viewOf = (row: EmailDomainRow): EmailDomain => ({
  id: row.id,
  domain: row.domain,
  status: row.status,
  dkim: row.dkimSelector !== null,
  dkimFound: row.dkimSelector === null ? null : row.dkimFound === true,
  records: recordsOf(row),
  createdAt: row.createdAt,
  verifiedAt: row.verifiedAt,
  checkedAt: row.checkedAt,
});

export const emailDomainsEngine = (
  context: EmailDomainsContext,
): EmailDomains & {
  readonly api: EmailDomainsApi;
  /** Verifies one domain that is due, of any scope. False: none was due. */
  recheck(): Promise<boolean>;
  close(): void;
} => {
  const { storage, tables, clock, ids, keyring, scopes, lookUp } = context;
  const store = emailDomainStore({ db: storage.db, tables });
  const domainCache = senderDomainCache(context);
  const keys = lru<string, string>(MAX_KEYS);

  const rowOf = async (key: DomainKey): Promise<EmailDomainRow> => {
    const row = await store.get(key);
    if (!row) throw notFound('email domain with this id');
    return row;
  };

  /** Looks up the records of a domain and stores the result; a record without a DNS answer keeps its state. */
  const checkRecords = async (row: EmailDomainRow): Promise<EmailDomainChecked> => {
    const { domain, dkimSelector } = row;
    const [ownership, dkim, advice] = await Promise.all([
      lookUp(ownershipName(domain)),
      dkimSelector === null ? null : lookUp(dkimName(domain, dkimSelector)),
      adviceFor(lookUp, domain),
    ]);
    const now = clock.now();
    const shown = ownershipCheck(row, ownership);
    const signed = dkim === null ? null : dkimCheck(row, dkim);
    const changed = await store.change(row, {
      checkedAt: now,
      recheckAt: new Date(now.getTime() + RECHECK_MS),
      ...(shown.state === 'unknown' ? {} : { status: shown.state === 'found' ? 'verified' : 'pending' }),
      ...(shown.state === 'found' ? { verifiedAt: now } : {}),
      ...(signed === null || signed.state === 'unknown' ? {} : { dkimFound: signed.state === 'found' }),
    });
    domainCache.changed();
    if (!changed) throw notFound('email domain with this id');
    return { ...viewOf(changed), checks: [shown, ...(signed === null ? [] : [signed]), ...advice] };
  };

  const madeKey = async (scope: Scope, id: string) => {
    const { privateKey, publicKey } = await newDkimKey();
    return {
      dkimSelector: `beckon-${randomBytes(4).toString('hex')}`,
      dkimPublicKey: publicKey,
      dkimSealed: await keyring.seal(dkimPlace(scope, id), privateKey),
      dkimFound: false,
    };
  };

  const api: EmailDomainsApi = {
    create: async (scope, body) => {
      const { domain, dkim } = parseEmailDomain(body);
      const now = clock.now();
      const id = ids.next();
      const noKey = { dkimSelector: null, dkimPublicKey: null, dkimSealed: null, dkimFound: null };
      const row: EmailDomainRow = {
        ...scopeOf(scope),
        id,
        domain,
        nonce: randomBytes(16).toString('hex'),
        status: 'pending',
        createdAt: now,
        verifiedAt: null,
        checkedAt: null,
        recheckAt: new Date(now.getTime() + RECHECK_MS),
        ...(dkim ? await madeKey(scope, id) : noKey),
      };
      try {
        const isThere = await insertBelow(storage, {
          name: `email-domains/${scopeKey(scope)}`,
          max: DEFINITION_CAPS.emailDomains.max,
          count: (db) => emailDomainStore({ db, tables }).count(scope),
          insert: (db) => emailDomainStore({ db, tables }).insert(row),
        });
        if (!isThere) throw capReached('domain', DEFINITION_CAPS.emailDomains);
      } catch (error) {
        throw storage.dialect.isUniqueViolation(error) ? conflict('exists') : error;
      }
      domainCache.changed();
      return viewOf(row);
    },
    list: (scope, query = {}) =>
      listPage(query, {
        binding: `email-domains/${scopeKey(scope)}`,
        read: async (place) => (await store.page(scope, place)).map(viewOf),
        positionOf: idOf,
      }),
    get: async (scope, id) => viewOf(await rowOf({ ...scopeOf(scope), id })),
    delete: async (scope, id) => {
      const row = await rowOf({ ...scopeOf(scope), id });
      await store.remove(row);
      domainCache.changed();
      return viewOf(row);
    },
    verify: async (scope, id) => checkRecords(await rowOf({ ...scopeOf(scope), id })),
  };

  return {
    api,
    senders: async (senderDomains) => {
      const domainsOf = await domainCache.load(senderDomains);
      return (scope) => {
        const domains = domainsOf(scope);
        return { isRequired: domains.isRequired, mayBeFrom: (address) => mayBeFrom(domains, address) };
      };
    },
    dkimOf: async (scope, address) => {
      const found = coveringDomain((await domainCache.load([scope]))(scope), address);
      if (found === null || !found.isVerified || found.dkim === null) return null;
      const { selector, sealed } = found.dkim;
      const privateKey =
        keys.get(sealed) ??
        (await keyring.openText(dkimPlace((await scopes.load([scopeKey(scope)]))(scopeKey(scope)), found.id), sealed));
      keys.set(sealed, privateKey);
      return { domainName: found.domain, keySelector: selector, privateKey };
    },
    recheck: async () => {
      const now = clock.now();
      const due = await store.takeDue(now, new Date(now.getTime() + RECHECK_MS));
      if (!due) return false;
      await checkRecords(due);
      return true;
    },
    close: domainCache.close,
  };
};
