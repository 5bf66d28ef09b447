import { authSettingsStore } from '../../src/identity/auth-settings/store.ts';
import { signingKeyStore } from '../../src/identity/signing-keys/store.ts';
import { AT, ERASES, EXPIRES, guarded, plain, rule, type Statement } from './store-rule.ts';

/** Updates and deletes of the stores of sign-in, by file, in the order of the file. */
export const IDENTITY_STATEMENTS: Readonly<Record<string, readonly Statement[]>> = {
  'identity/accounts/store.ts': [plain('delete authPasswords', ERASES), plain('delete authUsers', ERASES)],
  'identity/audit/store.ts': [plain('delete authAudit', EXPIRES), plain('delete authAudit', ERASES)],
  'identity/auth-settings/store.ts': [
    guarded(
      'update authSettings',
      rule('authSettings', {
        match: ['scopeId', 'version'],
        isReported: true,
        call: (context, { scopeId, version }) =>
          authSettingsStore(context).save({ scopeId, settings: { changed: true }, updatedAt: AT }, version),
      }),
    ),
  ],
  'identity/mail/store.ts': [
    plain('delete authMailBudget', EXPIRES),
    plain('delete authMailCounts', EXPIRES),
    plain('delete authMailBudget', ERASES),
  ],
  'identity/one-time/store.ts': [plain('delete authOneTime', EXPIRES), plain('delete authOneTime', ERASES)],
  'identity/sessions/store.ts': [plain('delete authRefreshTokens', ERASES), plain('delete authSessions', ERASES)],
  'identity/signing-keys/store.ts': [
    guarded(
      'update keys',
      rule('authSigningKeys', {
        match: ['scopeId', 'kid', 'state'],
        row: { state: 'active' },
        call: (context, row) =>
          signingKeyStore(context).change(row, {
            ...{ kid: row.kid, from: 'active', to: 'retiring', activateAtMs: AT.getTime(), retireAtMs: AT.getTime() },
          }),
      }),
    ),
    guarded(
      'update keys',
      rule('authSigningKeys', {
        match: ['scopeId', 'kid', 'sealed'],
        call: (context, row) => signingKeyStore(context).reseal(row, row.sealed, 'anew'),
      }),
    ),
  ],
};
