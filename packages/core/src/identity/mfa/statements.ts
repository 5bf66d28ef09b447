import { bulkDelete, bulkInsert, bulkSelect, bulkUpdate } from '../../database/statements/bulk.ts';
import type { MfaTables } from './tables.ts';

const SCOPE = ['scopeId'] as const;
const KEY = [...SCOPE, 'id'] as const;
const ACCOUNT = [...SCOPE, 'accountId'] as const;
const FACTOR = [
  ...KEY,
  ...(['accountId', 'type', 'secret', 'lastStep', 'tries', 'createdAt', 'confirmedAt', 'lastUsedAt'] as const),
] as const;
const CODE = [...ACCOUNT, 'hash', 'usedAt'] as const;
const COUNTERS = [
  ...(['wrongInRow', 'wrongTotal', 'nextAllowedAt', 'blockedAt', 'noticedAt', 'noticesInHour'] as const),
] as const;
const STATE = [...ACCOUNT, 'version', ...COUNTERS] as const;
const PROGRESS = ['codesUsed', 'firstWrongAt', 'expiresAt', 'consumedAt'] as const;
const CHALLENGE = [...KEY, 'accountId', 'hash', ...PROGRESS, 'pending'] as const;

/** The statements of second factors. */
export const mfaStatements = ({ authFactors, authRecoveryCodes, authMfaState, authMfaChallenges }: MfaTables) => ({
  /** The first attempt of an account: of two at once, one fails. */
  insertState: bulkInsert('auth.insert_mfa_state', authMfaState, STATE, {
    conflict: { target: ACCOUNT },
    isGuarded: true,
  }),
  changeState: bulkUpdate('auth.change_mfa_state', authMfaState, {
    where: [...ACCOUNT, 'version'],
    set: {
      ...{ version: 'increment', wrongInRow: 'value', wrongTotal: 'value', nextAllowedAt: 'value' },
      ...{ blockedAt: 'value', noticedAt: 'value', noticesInHour: 'value' },
    },
    isGuarded: true,
  }),
  deleteState: bulkDelete('auth.delete_mfa_state', authMfaState, { where: ACCOUNT }),
  insertFactor: bulkInsert('auth.insert_factor', authFactors, FACTOR),
  /** A wrong code of an enrollment; parallel ones count one by one. */
  tryFactor: bulkUpdate('auth.try_factor', authFactors, {
    where: [...KEY, 'tries'],
    set: { tries: 'increment' },
    when: (column) => `${column('confirmed_at')} is null`,
    isGuarded: true,
  }),
  confirmFactor: bulkUpdate('auth.confirm_factor', authFactors, {
    where: KEY,
    set: { confirmedAt: 'value', lastStep: 'value', lastUsedAt: 'value' },
    when: (column) => `${column('confirmed_at')} is null`,
    isGuarded: true,
  }),
  useFactor: bulkUpdate('auth.use_factor', authFactors, {
    where: KEY,
    set: { lastStep: 'value', lastUsedAt: 'value' },
    when: (column) => `${column('confirmed_at')} is not null`,
    isGuarded: true,
  }),
  deleteFactor: bulkDelete('auth.delete_factor', authFactors, { where: KEY }),
  deleteFactors: bulkDelete('auth.delete_factors', authFactors, { where: ACCOUNT }),
  insertCode: bulkInsert('auth.insert_recovery_code', authRecoveryCodes, CODE),
  /** Of several uses of one code, one takes effect. */
  useCode: bulkUpdate('auth.use_recovery_code', authRecoveryCodes, {
    where: [...ACCOUNT, 'hash'],
    set: { usedAt: 'value' },
    when: (column) => `${column('used_at')} is null`,
    isGuarded: true,
  }),
  deleteCodes: bulkDelete('auth.delete_recovery_codes', authRecoveryCodes, { where: ACCOUNT }),
  putChallenge: bulkInsert('auth.put_mfa_challenge', authMfaChallenges, CHALLENGE, {
    conflict: { target: KEY, set: PROGRESS },
  }),
  deleteChallenges: bulkDelete('auth.delete_mfa_challenges', authMfaChallenges, { where: ACCOUNT }),
  stateOf: bulkSelect('auth.mfa_state', authMfaState, ACCOUNT, STATE),
  factorsOf: bulkSelect('auth.factors_of', authFactors, ACCOUNT, FACTOR),
  codesOf: bulkSelect('auth.recovery_codes_of', authRecoveryCodes, ACCOUNT, CODE),
  challenge: bulkSelect('auth.mfa_challenge', authMfaChallenges, KEY, CHALLENGE),
});
