// Sign-in of end users. Built after automation, whose workflows react to profiles and events of accounts.

import type { CommitHook } from '../database/commit/commit-hook.ts';
import type { OutboundOptions } from '../delivery/providers/outbound.ts';
import { conflict, notFound, providerNotConfigured } from '../foundation/errors.ts';
import { stableJson } from '../foundation/hash.ts';
import { isObject } from '../foundation/json.ts';
import { idOf, listPage, timeRange, wholePage } from '../foundation/page.ts';
import { ENVIRONMENTS, type Scope, scopeKey } from '../foundation/scope.ts';
import type { LookUpTxt } from '../messaging/email/domains/look-up.ts';
import type { Sending } from '../messaging/sends/sending.ts';
import type { UseTemplate } from '../messaging/templates/use.ts';
import type { Emitter } from '../people/events/emit.ts';
import type { BoundReaction } from '../people/events/pipeline.ts';
import type { Profiles } from '../people/profiles/profiles.ts';
import type { AnswerOnce } from '../platform/idempotency/once.ts';
import type { Plans } from '../platform/plans/plans.ts';
import { type AccountsPlatform, accountsEngine } from './accounts/accounts.ts';
import { impersonate } from './admin/impersonate.ts';
import { userAdmin } from './admin/users.ts';
import type { AuthApi, AuthIssuer, UsersApi } from './api.ts';
import { type AuditPlatform, auditLog } from './audit/audit.ts';
import { clientOf } from './audit/client.ts';
import { type AuthSettingsPlatform, authSettingsEngine } from './auth-settings/settings.ts';
import { passkeyCheck, passkeyFactor } from './authenticators/assertion.ts';
import { passkeyModule } from './authenticators/module.ts';
import { captchaCheck } from './captcha/captcha.ts';
import { type ClaimsPlatform, claimsEngine } from './claims/claims.ts';
import { type AuthEvent, authCommit } from './commit/commit.ts';
import { accountEraser, accountTrace } from './erase.ts';
import { verifyMfa } from './factors/challenge.ts';
import { confirmTotp, enrollTotp, renewRecoveryCodes } from './factors/enroll.ts';
import { deleteFactor, factorAdmin, listFactors } from './factors/manage.ts';
import { mfaAttempts } from './flow/attempt.ts';
import { bearerCheck } from './flow/bearer.ts';
import type { Before } from './flow/before.ts';
import type { AuthContext } from './flow/context.ts';
import { finishSignIn } from './flow/finish.ts';
import { recordAction } from './flow/record.ts';
import { type HashConfigsPlatform, hashConfigsEngine } from './hash-configs/hash-configs.ts';
import { type IdentitiesPlatform, identitiesEngine } from './identities/identities.ts';
import type { ExportContributor, ImportContributors } from './import/contributor.ts';
import { userExport } from './import/export.ts';
import { identityExport, identityImport } from './import/identities.ts';
import { userImport } from './import/import.ts';
import { passkeyExport, passkeyImport } from './import/passkeys.ts';
import { passwordExport, passwordImport } from './import/password.ts';
import { totpExport, totpImport } from './import/totp.ts';
import { emailSignIn } from './links/links.ts';
import { MAILBOX_KEY_PURPOSE, type MailBudgetPlatform, mailBudget } from './mail/budget.ts';
import { authEmails } from './mail/emails.ts';
import { templateFaults } from './mail/template-faults.ts';
import { authMaintenance } from './maintenance.ts';
import { selfService } from './me/me.ts';
import { type MfaPlatform, mfaEngine } from './mfa/mfa.ts';
import { type OneTimePlatform, oneTime } from './one-time/one-time.ts';
import { CODE_KEY_PURPOSE } from './one-time/secrets.ts';
import { operatorAccounts } from './operators/operators.ts';
import { type PasskeysPlatform, passkeysEngine } from './passkeys/passkeys.ts';
import { openBreachFile } from './passwords/breach-file.ts';
import { passwordHasher } from './passwords/passwords.ts';
import { type HashPool, hashPool } from './passwords/pool.ts';
import { hashQueue } from './passwords/queue.ts';
import { scimModule } from './scim/module.ts';
import { type ScimPlatform, scimEngine } from './scim/scim.ts';
import { type SessionsPlatform, sessionsEngine } from './sessions/sessions.ts';
import type { AuthOptions } from './shapes/options.ts';
import { publicConfigOf } from './shapes/public-config.ts';
import { requestEmailChange, requestVerification, undoEmailChange, verifyEmail } from './sign-in/email.ts';
import { signInAsGuest, upgradeGuest } from './sign-in/guests.ts';
import { changePassword, signInWithPassword } from './sign-in/password.ts';
import { refreshSession } from './sign-in/refresh.ts';
import { requestReset, resetPassword } from './sign-in/reset.ts';
import { signUp } from './sign-in/sign-up.ts';
import { reauthenticate } from './sign-in/step-up.ts';
import { openIdConfiguration } from './signing-keys/jwks.ts';
import { type SigningKeysPlatform, signingKeys } from './signing-keys/signing-keys.ts';
import { type SocialPlatform, socialProviders } from './social/credentials.ts';
import { socialModule } from './social/module.ts';
import { type SsoPlatform, ssoConnections } from './sso/connections/connections.ts';
import { ssoModule } from './sso/module.ts';
import { DEVICE_KEY_PURPOSE, deviceTokens } from './tokens/device-token.ts';
import { tokenIssuer } from './tokens/issuer.ts';

export type IdentityPlatform = AccountsPlatform &
  SessionsPlatform &
  MfaPlatform &
  PasskeysPlatform &
  OneTimePlatform &
  IdentitiesPlatform &
  ScimPlatform &
  SocialPlatform &
  SsoPlatform &
  SigningKeysPlatform &
  AuthSettingsPlatform &
  ClaimsPlatform &
  MailBudgetPlatform &
  AuditPlatform &
  HashConfigsPlatform;

export type IdentityNeeds = {
  readonly publicUrl: string | null;
  readonly auth: AuthOptions | undefined;
  readonly outbound: OutboundOptions | undefined;
  /** In place of threads; for tests. */
  readonly hashPool: HashPool | undefined;
  readonly emitter: Emitter;
  readonly sends: Pick<Sending, 'plan' | 'react' | 'lookUpSends' | 'lacking'>;
  readonly useTemplate: UseTemplate;
  readonly profiles: Pick<Profiles, 'putAccount' | 'load' | 'reactionBefore'>;
  readonly plans: Pick<Plans, 'allows' | 'require'>;
  /** Lets the host deny a call. */
  readonly before: Before;
  readonly downstream: readonly BoundReaction[];
  readonly hook: ((scope: Scope, events: readonly AuthEvent[], at: Date) => CommitHook) | null;
  /** The environment of a project id alone; null unless exactly one project has the id. */
  environmentOf(names: Pick<Scope, 'projectId' | 'environment'>): Promise<Scope | null>;
  readonly answerOnce: AnswerOnce;
  /** Looks up the records that prove domains. */
  readonly lookUp: LookUpTxt;
  /** Erases a user everywhere. */
  eraseUser(scope: Scope, userId: string): Promise<{ readonly erasureId: string }>;
};

const keysOf = async ({ keyring }: Pick<IdentityPlatform, 'keyring'>) => {
  const [codes, devices, mailboxes] = await Promise.all([
    keyring.derived(CODE_KEY_PURPOSE),
    keyring.derived(DEVICE_KEY_PURPOSE),
    keyring.derived(MAILBOX_KEY_PURPOSE),
  ]);
  return { codes, devices, mailboxes };
};
/** Keys that sign-in derives, and the breach list: read once, before the module is built. */
export type IdentityKeys = Awaited<ReturnType<typeof keysOf>> & {
  readonly breached: ((password: string) => Promise<boolean>) | null;
  readonly close: () => Promise<void>;
};

/** Throws errors of the keyring, and an Error for a breach file that cannot be read. */
export const openIdentity = async (
  platform: Pick<IdentityPlatform, 'keyring'>,
  { breachFile }: AuthOptions = {},
): Promise<IdentityKeys> => {
  const keys = await keysOf(platform);
  if (breachFile === undefined) return { ...keys, breached: null, close: async () => undefined };
  const file = await openBreachFile(breachFile);
  return { ...keys, breached: (password) => file.has(password), close: () => file.close() };
};

export const identityModule = (platform: IdentityPlatform, keys: IdentityKeys, needs: IdentityNeeds) => {
  const { storage, clock, ids, log, keyring } = platform;
  const signing = signingKeys(platform);
  const settings = authSettingsEngine(platform);
  const { hashThreads: threads, hashMemoryMiB: memoryMiB } = needs.auth ?? {};
  const pool =
    needs.hashPool ??
    hashPool({ ...(threads !== undefined && { threads }), ...(memoryMiB !== undefined && { memoryMiB }) });
  const delay = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
  const hasher = passwordHasher({ pool, queue: hashQueue({ threads: pool.threads }), delay });
  const accounts = accountsEngine(platform);
  const sessions = sessionsEngine(platform);
  const identities = identitiesEngine(platform);
  const mfa = mfaEngine(platform);
  const passkeys = passkeysEngine(platform);
  const scim = scimEngine(platform);
  const audit = auditLog(platform);
  const commit = authCommit({ ...needs, storage, clock, ids });
  const { plans, profiles, publicUrl, outbound } = needs;
  const claims = claimsEngine(platform, {
    ...{ accounts, audit, commit, plans, profiles, groupsOf: scim.groupNamesOf },
  });
  const net = { allowCidrs: outbound?.allowCidrs, ca: outbound?.ca };
  const providers = socialProviders(platform);
  const connections = ssoConnections(platform);
  const faults = templateFaults({
    clock,
    record: (scope, detail) =>
      recordAction(context, scope, {
        ...{ actor: 'system', action: 'mail.template', target: null, result: detail.fault, detail },
      }).catch((error: unknown) => log.warn({ error }, 'a fault of an email template could not be recorded')),
  });
  const context: AuthContext = {
    ...{ storage, clock, ids, log, settings, hasher, breached: keys.breached },
    ...{ accounts, sessions, identities, audit, commit, before: needs.before },
    captcha: captchaCheck({ settings, log, net, urls: needs.auth?.captchaUrls }),
    hashConfigs: hashConfigsEngine(platform),
    ...{ mfa, passkeys },
    oneTime: oneTime(platform, keys.codes),
    budget: mailBudget(platform, keys.mailboxes),
    makeEmail: authEmails({
      ...{ ids, keyring, useTemplate: needs.useTemplate, onFault: faults },
      templateOf: async (scope, kind) => (await settings.load(scope)).mail.templates[kind],
    }),
    tokens: tokenIssuer({
      ...{ clock, ids, keys: signing, devices: deviceTokens(keys.devices), publicUrl },
      claimsOf: claims.of,
    }),
    unproven: [
      async (_, account) => ({ writes: [accounts.deletePassword(account)] }),
      async (_, account) => ({ writes: [identities.unlinkAll(account)] }),
      async (scope, { id }) => ({ writes: mfa.removeFactors(scope, id) }),
      async (scope, { id }) => ({ writes: passkeys.removeAll(scope, id) }),
      (scope, account, now) => sessions.revokeAll(scope, account, 'password', now),
    ],
    signInMethods: [
      async (scope, { id }) => ((await accounts.passwordOf(scope, id)) ? 1 : 0),
      // A verified address receives links that sign in.
      async (_, { emailVerifiedAt }) => (emailVerifiedAt === null ? 0 : 1),
      async (scope, { id }) => (await identities.ofAccount(scope, id)).length,
      async (scope, { id }) => (await passkeys.ofAccount(scope, id)).length,
    ],
    isConnectionEnabled: async (scope, id) => (await connections.byId(scope, id))?.enabled === true,
    requireMailCount: async (scope) =>
      context.budget.requireWithin(scope, (await settings.load(scope)).mail.perHour, clock.now()),
    requireEmail: async (scope) => {
      const missing = await needs.sends.lacking(scope, ['email']);
      if (missing.has('email'))
        throw providerNotConfigured({ channel: 'email', provider: 'smtp', missing: ['provider'] });
      await context.requireMailCount(scope);
    },
  };
  const finish = finishSignIn(context);
  const { eraseUser } = needs;
  const check = passkeyCheck(context, publicUrl);
  const attemptMfa = mfaAttempts(context, passkeyFactor(settings, check));
  const factors = factorAdmin(context);
  const passkeyFlows = passkeyModule(context, finish, check);
  const social = socialModule(context, finish, {
    ...{ providers, scopes: platform.scopes, publicUrl, urls: needs.auth?.providerUrls },
    net,
  });
  const requirePlan = plans.require;
  const provisioning = scimModule(context, { scim, connections, scopes: platform.scopes, publicUrl, requirePlan });
  const sso = ssoModule({
    ...{ context, connections, publicUrl, requirePlan, lookUp: needs.lookUp },
    ...{ scopes: platform.scopes, provider: social.social },
  });
  const users = userAdmin(context, eraseUser);
  const me = selfService(context);
  const authenticate = bearerCheck(context);
  const flows = {
    signUp: signUp(context, finish),
    signIn: signInWithPassword(context, finish),
    resetPassword: resetPassword(context, finish),
    verifyEmail: verifyEmail(context),
    undoEmailChange: undoEmailChange(context),
    changePassword: changePassword(context),
    forgotPassword: requestReset(context),
    requestVerification: requestVerification(context),
    changeEmail: requestEmailChange(context),
    impersonate: impersonate(context),
    verifyMfa: verifyMfa(context, finish, attemptMfa),
    reauthenticate: reauthenticate(context, finish, attemptMfa, check),
    confirmTotp: confirmTotp(context, finish),
    deleteFactor: deleteFactor(context, attemptMfa),
    renewRecoveryCodes: renewRecoveryCodes(context),
    listFactors: listFactors(context),
    signInAsGuest: signInAsGuest(context, finish),
    upgradeGuest: upgradeGuest(context),
  };
  const signingKeyList = async (scope: Scope) =>
    wholePage(
      (await signing.list(scope)).map(({ kid, alg, state, activateAt, retireAt, createdAt }) => ({
        ...{ kid, alg, state, activateAt, retireAt, createdAt },
      })),
    );
  const scopeOfIssuer = async ({ projectId, environment: name }: AuthIssuer): Promise<Scope> => {
    const environment = ENVIRONMENTS.find((one) => one === name);
    const scope = environment && (await needs.environmentOf({ projectId, environment }));
    if (!scope) throw notFound();
    return scope;
  };

  const imports: ImportContributors = {
    passwordHash: passwordImport(context),
    identities: identityImport(context, needs.auth?.providerUrls),
    totpSecret: totpImport(context),
    passkeys: passkeyImport(context),
  };
  const exports: readonly ExportContributor[] = [
    ...[passwordExport(context), identityExport(context), totpExport(context), passkeyExport(context)],
  ];

  const usersApi: UsersApi = {
    list: users.list,
    get: users.get,
    create: users.create,
    update: users.update,
    delete: users.delete,
    sessions: async (scope, id) => wholePage(await users.sessions(scope, id)),
    revokeSessions: users.revokeSessions,
    sendReset: users.sendReset,
    impersonate: (scope, id, input, { actor = 'system', ...call } = {}) =>
      flows.impersonate(scope, id, input, actor, clientOf(call)),
    import: userImport(context, imports, needs.answerOnce),
    export: userExport(context, exports),
    identities: async (scope, id) => wholePage(await social.identitiesOf(scope, id)),
    factors: factors.status,
    resetMfa: factors.reset,
    passkeys: passkeyFlows.ofUser,
  };

  const api: AuthApi = {
    ...social.api,
    ...provisioning.api,
    ...sso.api,
    ...passkeyFlows.api,
    ...emailSignIn(context, finish).api,
    signInAsGuest: (scope, input, call) => flows.signInAsGuest(scope, input, clientOf(call)),
    upgradeGuest: (scope, bearer, input, call) =>
      isObject(input) && 'code' in input
        ? social.exchangeInto(scope, bearer, input)
        : flows.upgradeGuest(scope, bearer, input, clientOf(call)),
    signUp: (scope, input, call) => flows.signUp(scope, input, clientOf(call)),
    signIn: (scope, input, call) => flows.signIn(scope, input, clientOf(call)),
    refresh: refreshSession(context, finish),
    forgotPassword: (scope, input, call) => flows.forgotPassword(scope, input, clientOf(call)),
    resetPassword: (scope, input, call) => flows.resetPassword(scope, input, clientOf(call)),
    requestVerification: (scope, input, call) => flows.requestVerification(scope, input, clientOf(call)),
    verifyEmail: (scope, input, call) => flows.verifyEmail(scope, input, clientOf(call)),
    undoEmailChange: (scope, input, call) => flows.undoEmailChange(scope, input, clientOf(call)),
    authenticate,
    changePassword: (scope, bearer, input, call) => flows.changePassword(scope, bearer, input, clientOf(call)),
    reauthenticate: (scope, bearer, input, call) => flows.reauthenticate(scope, bearer, input, clientOf(call)),
    verifyMfa: (scope, id, input, call) => flows.verifyMfa(scope, id, input, clientOf(call)),
    listFactors: async (scope, bearer) => wholePage(await flows.listFactors(scope, bearer)),
    enrollTotp: enrollTotp(context),
    confirmTotp: (scope, bearer, input, call) => flows.confirmTotp(scope, bearer, input, clientOf(call)),
    deleteFactor: (scope, bearer, id, input, call) => flows.deleteFactor(scope, bearer, id, input, clientOf(call)),
    renewRecoveryCodes: (scope, bearer, call) => flows.renewRecoveryCodes(scope, bearer, clientOf(call)),
    changeEmail: (scope, bearer, input, call) => flows.changeEmail(scope, bearer, input, clientOf(call)),
    me: async (_, bearer) => me.get(bearer),
    updateMe: me.update,
    deleteMe: (scope, { account }) => eraseUser(scope, account.userId),
    sessions: async (scope, bearer) => wholePage(await me.sessions(scope, bearer)),
    logout: (scope, bearer, input) => me.logout(scope, bearer, input),
    revokeSession: me.revokeSession,
    ...claims.api,
    getConfig: async (scope) => publicConfigOf(await settings.load(scope)),
    getSettings: settings.get,
    updateSettings: async (scope, input, { actor = 'system' } = {}) => {
      const updated = await settings.update(scope, input);
      await recordAction(context, scope, { actor, action: 'settings.update', target: null, result: 'ok' });
      return updated;
    },
    jwks: signing.jwks,
    issuerJwks: async (issuer) => signing.jwks(await scopeOfIssuer(issuer)),
    openIdConfiguration: async (issuer) => openIdConfiguration(context.tokens.issuerOf(await scopeOfIssuer(issuer))),
    listSigningKeys: signingKeyList,
    rotateSigningKey: async (scope, { actor = 'system' } = {}) => {
      const { token } = await settings.get(scope);
      // Without a key there is nothing to rotate: the first one is created.
      await signing.signer(scope, token.alg);
      if (!(await signing.rotate(scope, token.alg))) throw conflict('rotation_running');
      await recordAction(context, scope, { actor, action: 'signing_keys.rotate', target: null, result: 'ok' });
      return signingKeyList(scope);
    },
    audit: async (scope, query = {}) => {
      const { actor = null, action = null, target = null, result = null } = query;
      const filter = { actor, action, target, result, ...timeRange(query) };
      const { data, pagination } = await listPage(query, {
        binding: `auth/audit/${scopeKey(scope)}/${stableJson(filter)}`,
        read: (page) => context.audit.list(scope, filter, page),
        count: () => context.audit.count(scope, filter),
        positionOf: idOf,
      });
      return { data: data.map(({ scopeId: _, ...entry }) => entry), pagination };
    },
  };

  return {
    name: 'identity',
    api,
    usersApi,
    operatorsApi: operatorAccounts(context),
    erasers: [accountEraser({ ...context, scim })],
    traces: [accountTrace(context.accounts)],
    expiring: [{ name: 'auth audit', expire: context.audit.expire }],
    maintenance: [authMaintenance({ context, signing, scopes: platform.scopes, eraseUser }), ...sso.maintenance],
    sealedValues: [signing, settings, context.hashConfigs, providers, mfa, connections].map((one) => one.sealedValues),
    close: async (): Promise<void> => {
      signing.close();
      settings.close();
      claims.close();
      context.hashConfigs.close();
      providers.close();
      await social.close();
      await context.captcha.close();
      await hasher.close();
      await keys.close();
    },
  };
};
