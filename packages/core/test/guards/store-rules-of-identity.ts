import { authSettingsStore } from '../../src/identity/auth-settings/store.ts';
import { hashConfigStore } from '../../src/identity/hash-configs/store.ts';
import { mfaStore } from '../../src/identity/mfa/store.ts';
import { scimStore } from '../../src/identity/scim/store.ts';
import { signingKeyStore } from '../../src/identity/signing-keys/store.ts';
import { socialStore } from '../../src/identity/social/store.ts';
import { ssoStore } from '../../src/identity/sso/connections/store.ts';
import { AT, ERASES, EXPIRES, erasing, guarded, later, plain, rule, type Statement } from './store-rule.ts';

/** Members are found by the groups and users of a directory, which the rules beside it hold. */
const OF_DIRECTORY = 'members of the groups and users that the same call deletes';

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
    guarded(
      'update authSettings',
      rule('authSettings', {
        match: ['scopeId', 'captchaSealed'],
        row: { captchaSealed: 'sealed' },
        call: (context, { scopeId, captchaSealed }) =>
          authSettingsStore(context).reseal({ scopeId }, captchaSealed ?? '', 'anew'),
      }),
    ),
  ],
  'identity/hash-configs/store.ts': [
    guarded(
      'delete configs',
      rule('authHashConfigs', {
        match: ['scopeId', 'id'],
        row: { createdAt: AT },
        stops: [{ createdAt: later(1) }],
        call: (context, row) => hashConfigStore(context).remove(row, later(1)),
      }),
    ),
    guarded(
      'update configs',
      rule('authHashConfigs', {
        match: ['scopeId', 'id', 'sealed'],
        call: (context, row) => hashConfigStore(context).reseal(row, row.sealed ?? '', 'anew'),
      }),
    ),
  ],
  'identity/identities/store.ts': [plain('delete authIdentities', EXPIRES), plain('delete authIdentities', ERASES)],
  'identity/mfa/store.ts': [
    plain('delete authMfaChallenges', EXPIRES),
    plain('delete table', ERASES),
    guarded(
      'update authFactors',
      rule('authFactors', {
        match: ['scopeId', 'id', 'secret'],
        call: (context, row) => mfaStore(context).reseal(row, row.secret ?? '', 'anew'),
      }),
    ),
  ],
  'identity/mail/store.ts': [
    plain('delete authMailBudget', EXPIRES),
    plain('delete authMailCounts', EXPIRES),
    plain('delete authMailBudget', ERASES),
  ],
  'identity/one-time/store.ts': [plain('delete authOneTime', EXPIRES), plain('delete authOneTime', ERASES)],
  'identity/passkeys/store.ts': [plain('delete table', ERASES)],
  'identity/scim/store.ts': [
    guarded(
      'update directories',
      rule('authScimDirectories', {
        match: ['scopeId', 'id'],
        isReported: true,
        call: (context, row) => scimStore(context).changeDirectory(row, row.id, { name: 'changed' }),
      }),
    ),
    guarded(
      'delete directories',
      rule('authScimDirectories', {
        match: ['scopeId', 'id'],
        isReported: true,
        call: (context, row) => scimStore(context).removeDirectory(row, row.id),
      }),
    ),
    guarded(
      'update tokens',
      rule('authScimTokens', {
        match: ['scopeId', 'id'],
        row: { lastUsedAt: null },
        call: (context, row) => scimStore(context).noteUse(row, AT),
      }),
    ),
    guarded(
      'delete tokens',
      rule('authScimTokens', {
        match: ['scopeId', 'id'],
        isReported: true,
        call: (context, row) => scimStore(context).removeToken(row, row.id),
      }),
    ),
    guarded(
      'delete tokens',
      rule('authScimTokens', {
        match: ['scopeId', 'directoryId'],
        call: (context, row) => scimStore(context).removeTokensOf(row),
      }),
    ),
    plain('delete members', OF_DIRECTORY),
    guarded(
      'delete groups',
      rule('authScimGroups', {
        match: ['scopeId', 'directoryId'],
        call: (context, row) => scimStore(context).removeSomeOf(row, 10),
      }),
    ),
    guarded(
      'delete users',
      rule('authScimUsers', {
        match: ['scopeId', 'directoryId'],
        call: (context, row) => scimStore(context).removeSomeOf(row, 10),
      }),
    ),
    plain('delete members', ERASES),
    erasing('delete users', 'authScimUsers', 'accountId', (context, ids) =>
      scimStore(context).erase({ scopeId: 1 }, ids),
    ),
  ],
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
  'identity/social/store.ts': [
    guarded(
      'delete providers',
      rule('authSocialProviders', {
        match: ['scopeId', 'provider'],
        isReported: true,
        call: (context, row) => socialStore(context).remove(row, row.provider),
      }),
    ),
    guarded(
      'update providers',
      rule('authSocialProviders', {
        match: ['scopeId', 'provider', 'sealed'],
        call: (context, row) => socialStore(context).reseal(row, row.sealed ?? '', 'anew'),
      }),
    ),
  ],
  'identity/sso/connections/store.ts': [
    guarded(
      'update connections',
      rule('authSsoConnections', {
        match: ['scopeId', 'id', 'version'],
        isReported: true,
        call: (context, row) => ssoStore(context).save(row, row.version, { name: 'changed' }),
      }),
    ),
    guarded(
      'delete connections',
      rule('authSsoConnections', {
        match: ['scopeId', 'id'],
        isReported: true,
        call: (context, row) => ssoStore(context).remove(row),
      }),
    ),
    guarded(
      'update connections',
      rule('authSsoConnections', {
        match: ['scopeId', 'id', 'sealed'],
        call: (context, row) => ssoStore(context).reseal(row, row.sealed ?? '', 'anew'),
      }),
    ),
    guarded(
      'update domains',
      rule('authSsoDomains', {
        match: ['scopeId', 'id'],
        call: (context, row) => ssoStore(context).changeDomain(row, { checkedAt: later(1) }),
      }),
    ),
    guarded(
      'delete domains',
      rule('authSsoDomains', {
        match: ['scopeId', 'id'],
        isReported: true,
        call: (context, row) => ssoStore(context).removeDomain(row),
      }),
    ),
    guarded(
      'delete domains',
      rule('authSsoDomains', {
        match: ['scopeId', 'connectionId'],
        call: (context, row) => ssoStore(context).removeDomainsOf({ scopeId: row.scopeId, id: row.connectionId }),
      }),
    ),
    guarded(
      'update domains',
      rule('authSsoDomains', {
        match: [],
        row: { verifiedAt: AT, recheckAt: AT },
        stops: [{ recheckAt: later(1) }, { verifiedAt: null }],
        meanwhile: [{ recheckAt: later(60_000) }],
        isReported: true,
        call: (context) => ssoStore(context).takeDue(AT, later(60_000)),
      }),
    ),
    plain('delete seen', EXPIRES),
  ],
};
