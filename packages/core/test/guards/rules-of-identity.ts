import type { Rule } from './rule.ts';

const KEY = ['scopeId', 'id'] as const;
const AT = new Date('2026-03-01T12:00:00.000Z');

/** A session that something has ended stays as it is. */
const liveSession: Rule = {
  match: KEY,
  isGuarded: true,
  row: { revokedAt: null },
  stops: [{ revokedAt: AT }],
};
/** A secret that is used up, or whose tries are, cannot be used again. */
const openSecret: Rule = {
  match: KEY,
  isGuarded: true,
  row: { consumedAt: null, tries: 4, maxTries: 5 },
  stops: [{ consumedAt: AT }, { tries: 5 }, { maxTries: 4 }],
  passes: [{ tries: 0 }],
};

/** A change of the version that was read. */
const scimChange: Rule = { match: [...KEY, 'version'], isGuarded: true, isOnce: true, raises: ['version'] };

/** What each guarded statement of sign-in promises, by its id. */
export const RULES_OF_IDENTITY: Readonly<Record<string, Rule>> = {
  'auth.insert_user': { match: ['scopeId', 'emailNorm'], isGuarded: true },
  'auth.import_user': { match: KEY, isGuarded: true },
  'auth.change_user': { match: [...KEY, 'version'], isGuarded: true, isOnce: true, raises: ['version'] },
  'auth.user_signed_in': {
    match: [...KEY, 'version'],
    isGuarded: true,
    row: { disabledAt: null, lastSignInAt: null },
    stops: [{ disabledAt: AT }],
  },
  'auth.user_unchanged': { match: [...KEY, 'version'], isGuarded: true },
  'auth.delete_user': { match: KEY },
  'auth.delete_jwt_template': { match: ['scopeId'] },
  'auth.rehash': { match: ['scopeId', 'accountId', 'hash'], empties: ['hashConfigId'] },
  'auth.delete_password': { match: ['scopeId', 'accountId'] },

  'auth.insert_identity': { match: ['scopeId', 'provider', 'issuer', 'subject'], isGuarded: true },
  'auth.insert_saml_seen': { match: ['scopeId', 'connectionId', 'assertionId'], isGuarded: true },
  'auth.remove_identities': { match: ['scopeId', 'accountId'] },
  'auth.remove_identity': { match: KEY },

  'auth.insert_scim_user': { match: ['scopeId', 'directoryId', 'userNameNorm'], isGuarded: true },
  'auth.change_scim_user': scimChange,
  'auth.remove_scim_user': { match: [...KEY, 'version'], isGuarded: true },
  'auth.change_scim_group': scimChange,
  'auth.remove_scim_group': { match: [...KEY, 'version'], isGuarded: true },
  'auth.remove_scim_members': { match: ['scopeId', 'groupId'] },
  'auth.remove_scim_memberships': { match: ['scopeId', 'userId'] },
  'auth.remove_scim_member': { match: ['scopeId', 'groupId', 'userId'] },
  'auth.insert_scim_member': { match: ['scopeId', 'groupId', 'userId'] },

  'auth.touch_session': liveSession,
  'auth.authenticate_session': liveSession,
  'auth.revoke_session': { ...liveSession, isOnce: true },
  'auth.use_refresh_token': {
    match: ['scopeId', 'hash'],
    isGuarded: true,
    isOnce: true,
    row: { state: 'active' },
    write: { state: 'used' },
    stops: [{ state: 'used' }],
  },
  'auth.add_refresh_sibling': {
    match: ['scopeId', 'hash', 'siblings'],
    isGuarded: true,
    isOnce: true,
    raises: ['siblings'],
  },

  'auth.consume_one_time': { ...openSecret, isOnce: true },
  'auth.try_one_time': { ...openSecret, isOnce: true, raises: ['tries'] },
  'auth.replace_one_time': { match: ['scopeId', 'kind', 'emailNorm'] },
  'auth.remove_one_time': { match: ['scopeId', 'accountId'] },
  'auth.take_passkey_challenge': { match: [...KEY, 'codeChallenge'], isGuarded: true, isOnce: true },

  'auth.insert_passkey': { match: ['scopeId', 'credentialId'], isGuarded: true },
  'auth.use_passkey': { match: [...KEY, 'version'], isGuarded: true, isOnce: true, raises: ['version'] },
  'auth.rename_passkey': { match: KEY, isGuarded: true },
  'auth.delete_passkey': { match: KEY, isGuarded: true, isOnce: true },
  'auth.delete_passkeys': { match: ['scopeId', 'accountId'] },
  'auth.insert_passkey_handle': { match: ['scopeId', 'accountId'], isGuarded: true },
  'auth.delete_passkey_handle': { match: ['scopeId', 'accountId'] },

  'profiles.insert_of_account': { match: ['scopeId', 'person'], isGuarded: true },
  'profiles.set_account': {
    match: ['scopeId', 'person', 'version'],
    isGuarded: true,
    isOnce: true,
    raises: ['version'],
  },

  'auth.insert_mfa_state': { match: ['scopeId', 'accountId'], isGuarded: true },
  'auth.change_mfa_state': {
    match: ['scopeId', 'accountId', 'version'],
    isGuarded: true,
    isOnce: true,
    raises: ['version'],
  },
  'auth.delete_mfa_state': { match: ['scopeId', 'accountId'] },
  'auth.try_factor': {
    match: [...KEY, 'tries'],
    isGuarded: true,
    isOnce: true,
    raises: ['tries'],
    row: { confirmedAt: null },
    stops: [{ confirmedAt: AT }],
  },
  'auth.confirm_factor': {
    match: KEY,
    isGuarded: true,
    isOnce: true,
    row: { confirmedAt: null },
    stops: [{ confirmedAt: AT }],
  },
  'auth.use_factor': { match: KEY, isGuarded: true, row: { confirmedAt: AT }, stops: [{ confirmedAt: null }] },
  'auth.delete_factor': { match: KEY },
  'auth.delete_factors': { match: ['scopeId', 'accountId'] },
  'auth.use_recovery_code': {
    match: ['scopeId', 'accountId', 'hash'],
    isGuarded: true,
    isOnce: true,
    row: { usedAt: null },
    stops: [{ usedAt: AT }],
  },
  'auth.delete_recovery_codes': { match: ['scopeId', 'accountId'] },
  'auth.delete_mfa_challenges': { match: ['scopeId', 'accountId'] },

  'auth.insert_mail_budget': { match: ['scopeId', 'mailbox'], isGuarded: true },
  'auth.change_mail_budget': {
    match: ['scopeId', 'mailbox', 'version'],
    isGuarded: true,
    isOnce: true,
    raises: ['version'],
  },
};

export const IDENTITY_WITHOUT_RULE: Readonly<Record<string, string>> = {
  'auth.count_mail': 'adds to a count of any value; a limit reads it before',
  'auth.insert_audit': 'plain insert',
  'auth.insert_one_time': 'plain insert',
  'auth.insert_refresh_token': 'plain insert',
  'auth.insert_session': 'plain insert',
  'auth.insert_factor': 'plain insert',
  'auth.insert_recovery_code': 'plain insert',
  'auth.put_passkey_challenge': 'replaces the challenge of the same id; of two requests the last one counts',
  'auth.insert_scim_group': 'plain insert',
  'auth.put_mfa_challenge': 'the version of the state guards it: no two attempts of an account take effect',
  'sending.seal': 'sets what the send of the same commit inserted',
  'auth.put_jwt_template': 'replaces any earlier template',
  'auth.put_password': 'replaces any earlier hash; the same commit guards the account',
};
