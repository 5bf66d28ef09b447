import { bulkDelete, bulkInsert, bulkSelect, bulkUpdate } from '../../database/statements/bulk.ts';
import type { OneTimeTables } from './tables.ts';

const SCOPE = ['scopeId'] as const;
const KEY = [...SCOPE, 'id'] as const;
const COLUMNS = [
  ...KEY,
  ...(['kind', 'hash', 'codeHash', 'accountId', 'emailNorm', 'codeChallenge', 'payload', 'tries'] as const),
  ...(['maxTries', 'createdAt', 'expiresAt', 'consumedAt'] as const),
] as const;

/** The statements of one-time secrets. */
export const oneTimeStatements = ({ authOneTime }: OneTimeTables) => {
  const isOpen = (column: (name: string) => string): string =>
    `${column('consumed_at')} is null and ${column('tries')} < ${column('max_tries')}`;
  return {
    insert: bulkInsert('auth.insert_one_time', authOneTime, COLUMNS),
    /** Of several tries with the right secret, one takes effect. */
    consume: bulkUpdate('auth.consume_one_time', authOneTime, {
      where: KEY,
      set: { consumedAt: 'value' },
      when: isOpen,
      isGuarded: true,
    }),
    /** A wrong try; one that finds no try left is refused. */
    tryOnce: bulkUpdate('auth.try_one_time', authOneTime, {
      where: KEY,
      set: { tries: 'increment' },
      when: isOpen,
      isGuarded: true,
    }),
    /** A newer request replaces older ones of the mailbox. */
    replace: bulkDelete('auth.replace_one_time', authOneTime, { where: [...SCOPE, 'kind', 'emailNorm'] }),
    removeOfAccount: bulkDelete('auth.remove_one_time', authOneTime, { where: [...SCOPE, 'accountId'] }),
    /** A challenge of a passkey: a newer one with the id replaces it. */
    putChallenge: bulkInsert('auth.put_passkey_challenge', authOneTime, COLUMNS, {
      conflict: { target: KEY, set: ['codeChallenge', 'createdAt', 'expiresAt'] },
    }),
    /** The use of a challenge deletes it. Of several uses at once, one takes effect. */
    takeChallenge: bulkDelete('auth.take_passkey_challenge', authOneTime, {
      where: [...KEY, 'codeChallenge'],
      isGuarded: true,
    }),
    byHash: bulkSelect('auth.one_time_by_hash', authOneTime, ['hash'], COLUMNS),
    byId: bulkSelect('auth.one_time_by_id', authOneTime, KEY, COLUMNS),
    ofMailbox: bulkSelect('auth.one_time_of', authOneTime, [...SCOPE, 'kind', 'emailNorm'], COLUMNS),
  };
};
