// Accounts of those who run a deployment: the rows, hashes and sessions of end users, in a scope of their own.

import type { Write } from '../../database/commit/write-set.ts';
import { BeckonError, notFound } from '../../foundation/errors.ts';
import { idOf, listPage, timeRange, wholePage } from '../../foundation/page.ts';
import { OPERATOR_SCOPE } from '../../platform/tenancy/operator-scope.ts';
import type { AccountRow } from '../accounts/account.ts';
import type { ClientInfo } from '../audit/client.ts';
import { FRESH_MS } from '../flow/bearer.ts';
import type { AuthContext } from '../flow/context.ts';
import { emailIn } from '../flow/input.ts';
import { callerOf, passwordProof } from '../flow/password-proof.ts';
import { requireLive } from '../flow/require.ts';
import { selfService, sessionOf } from '../me/me.ts';
import { hashSecret, isSecret, lifeMsOf } from '../one-time/secrets.ts';
import type { SessionRow } from '../sessions/session.ts';
import { isLive } from '../sessions/sessions.ts';
import { accountExists, forbiddenFor, unauthorizedFor } from '../shapes/errors.ts';
import { requirePresentPassword } from '../sign-in/password.ts';
import { requirePassword } from '../sign-in/sign-up.ts';
import type { Operator, OperatorInput, OperatorsApi, SignedInOperator } from './api.ts';

/** Source: console design, Security: 2 hours without use, 12 hours in all. */
const SESSION = { idleDays: 2 / 24, absoluteDays: 12 / 24, maxPerUser: 100 };
/** Uses within this time are not written. Chosen: a page makes several calls. */
const SEEN_MS = 60_000;
const MIN_PASSWORD = 8;
const NO_CLIENT: ClientInfo = { ip: null, userAgent: null };
/** Accounts of operators are made by hand, so a list of any filter has them all. */
const EVERY = { emailNorm: null, userId: null, disabled: null, source: null };

/** Throws nothing. */
const operatorOf = ({ id, email, createdAt, lastSignInAt }: AccountRow): Operator => ({
  ...{ id, email: email ?? '', createdAt, lastSignInAt },
});

export const operatorAccounts = (context: AuthContext): OperatorsApi => {
  const { accounts, sessions, oneTime, hasher, audit, clock, storage } = context;
  const scope = OPERATOR_SCOPE;
  const me = selfService(context);

  const hashOf = async (password: string, emailNorm: string | null): Promise<string> => {
    await requirePassword(context, { password, emailNorm, minLength: MIN_PASSWORD });
    return hasher.hash(password, { owner: scope.projectKey });
  };
  const issueLink = async ({ id, emailNorm }: AccountRow, kind: 'reset' | 'magic', now: Date) => {
    const issued = await oneTime.issue(
      scope,
      {
        ...{ kind, secret: kind, hasCode: false, emailNorm: emailNorm ?? '', accountId: id },
        ...{ codeChallenge: null, payload: null, lifeMs: lifeMsOf(kind) },
      },
      now,
    );
    return { writes: issued.writes, link: { token: issued.secret ?? '', expiresAt: issued.expiresAt } };
  };
  const requireOperator = async (emailNorm: string): Promise<AccountRow> => {
    const account = await accounts.byEmail(scope, emailNorm);
    if (!account) throw notFound('operator with this email address');
    return account;
  };
  /** The writes of a new password. They end all links and sessions of the account. */
  const passwordWrites = async (account: AccountRow, hash: string, now: Date) => [
    accounts.change(account, {}, now).write,
    accounts.setPassword(account, hash, null, now),
    oneTime.removeOf(scope, account.id),
    ...(await sessions.revokeAll(scope, account, 'password', now)).writes,
  ];
  const entryOf = (actor: string, action: string, target: string, client = NO_CLIENT) => ({
    ...{ actor, action, target, result: 'ok', client },
  });

  const create: OperatorsApi['create'] = async ({ email, password }) => {
    const address = emailIn(email);
    const hash = password === undefined ? null : await hashOf(password, address.emailNorm);
    return context
      .commit(scope, async (now) => {
        if (await accounts.byEmail(scope, address.emailNorm)) throw accountExists();
        const fields = { email: address, isEmailVerified: true };
        const account = { ...accounts.draft(scope, fields, 'admin', now), usableAt: now };
        const issued = hash === null ? await issueLink(account, 'reset', now) : null;
        const writes = [
          accounts.insert(account),
          ...(hash === null ? [] : [accounts.setPassword(account, hash, null, now)]),
          ...(issued?.writes ?? []),
          audit.record(scope, entryOf('system', 'operator.create', account.id), now),
        ];
        return { change: { writes }, result: { operator: operatorOf(account), link: issued?.link ?? null } };
      })
      .catch((error: unknown) => {
        // Another process created the same account.
        throw !(error instanceof BeckonError) && storage.dialect.isUniqueViolation(error) ? accountExists() : error;
      });
  };

  const resetPassword = async ({ email, password }: OperatorInput) => {
    const { emailNorm } = emailIn(email);
    await requireOperator(emailNorm);
    const hash = password === undefined ? null : await hashOf(password, emailNorm);
    return context.commit(scope, async (now) => {
      const account = await requireOperator(emailNorm);
      const issued = hash === null ? await issueLink(account, 'reset', now) : null;
      const changed = hash === null ? (issued?.writes ?? []) : await passwordWrites(account, hash, now);
      const action = hash === null ? 'operator.create_link' : 'operator.reset_password';
      return {
        change: { writes: [...changed, audit.record(scope, entryOf('system', action, account.id), now)] },
        result: { operator: operatorOf(account), link: issued?.link ?? null },
      };
    });
  };

  const useLink: OperatorsApi['useLink'] = async ({ token, password }, client) => {
    const spend = async (now: Date) => {
      const spent = await oneTime.spendSecret(scope, { kind: 'reset', form: 'reset', secret: token }, now);
      const id = spent.ok ? spent.row.accountId : null;
      const account = id === null ? null : await accounts.byId(scope, id);
      if (!account || account.disabledAt !== null) throw unauthorizedFor('token_invalid');
      return { account, writes: spent.writes };
    };
    // Looked up before the hash, so that a call without a valid token costs no hash.
    const hash = await hashOf(password, (await spend(clock.now())).account.emailNorm);
    return context.commit(scope, async (now) => {
      const { account, writes } = await spend(now);
      const entry = entryOf(`user:${account.id}`, 'password.reset', account.id, client);
      const changed = await passwordWrites(account, hash, now);
      return {
        change: { writes: [...writes, ...changed, audit.record(scope, entry, now)] },
        result: operatorOf(account),
      };
    });
  };

  /** Starts a session in the commit that proves who the operator is. */
  const startSession = async (
    account: AccountRow,
    { amr, client, writes, now }: { amr: readonly string[]; client: ClientInfo; writes: readonly Write[]; now: Date },
  ) => {
    const factor = { amr, aal: 'aal1', client, deviceId: null } as const;
    const planned = await sessions.create(scope, { account, ...factor, settings: SESSION }, now);
    const entry = entryOf(`user:${account.id}`, 'operator.sign_in', planned.session.id, client);
    const { session, refreshToken: token } = planned;
    const operator = operatorOf({ ...account, lastSignInAt: now });
    return {
      change: {
        writes: [...writes, accounts.signIn(account, now), ...planned.writes, audit.record(scope, entry, now)],
      },
      result: { operator, session: sessionOf(session, session.id), token },
    };
  };

  const signIn: OperatorsApi['signIn'] = async ({ email, password }, client = NO_CLIENT) =>
    passwordProof(context)(scope, { email, password }, callerOf(client), async ({ account }) =>
      context.commit(scope, async (now) => {
        const current = await accounts.byId(scope, account.id);
        if (!current || current.disabledAt !== null) throw unauthorizedFor('invalid_credentials');
        return startSession(current, { amr: ['pwd'], client, writes: [], now });
      }),
    );

  const createLoginLink: OperatorsApi['createLoginLink'] = async ({ email }) => {
    const { emailNorm } = emailIn(email);
    return context.commit(scope, async (now) => {
      const account = await requireOperator(emailNorm);
      const issued = await issueLink(account, 'magic', now);
      const entry = entryOf('system', 'operator.create_login_link', account.id);
      return {
        change: { writes: [...issued.writes, audit.record(scope, entry, now)] },
        result: { operator: operatorOf(account), link: issued.link },
      };
    });
  };

  const signInWithLink: OperatorsApi['signInWithLink'] = async ({ token }, client = NO_CLIENT) =>
    context.commit(scope, async (now) => {
      const spent = await oneTime.spendSecret(scope, { kind: 'magic', form: 'magic', secret: token }, now);
      const id = spent.ok ? spent.row.accountId : null;
      const account = id === null ? null : await accounts.byId(scope, id);
      if (!account || account.disabledAt !== null) throw unauthorizedFor('token_invalid');
      return startSession(account, { amr: ['otp'], client, writes: spent.writes, now });
    });

  /** The live session of a token; null: it has none. */
  const find = async (token: string): Promise<{ account: AccountRow; session: SessionRow } | null> => {
    const stored = isSecret('refresh', token) ? await sessions.tokenOf(scope, hashSecret(token)) : null;
    const session = stored && (await sessions.byId(scope, stored.sessionId));
    const account = session && (await accounts.byId(scope, session.accountId));
    return session && account && account.disabledAt === null && isLive(session, clock.now())
      ? { account, session }
      : null;
  };
  const requireSession = async (token: string) => {
    const found = await find(token);
    if (!found) throw unauthorizedFor('session_expired');
    return found;
  };
  const shown = (account: AccountRow, session: SessionRow): SignedInOperator => ({
    operator: operatorOf(account),
    session: sessionOf(session, session.id),
  });

  return {
    ...{ create, resetPassword, useLink, createLoginLink, signInWithLink, signIn },
    list: async (query = {}) => {
      const filter = { ...EVERY, ...timeRange(query) };
      const { data, pagination } = await listPage(query, {
        binding: 'operators',
        read: (page) => accounts.list(scope, filter, page),
        count: () => accounts.count(scope, filter),
        positionOf: idOf,
      });
      return { data: data.map(operatorOf), pagination };
    },
    authenticate: async (token, { fresh = false, isActivity = true } = {}) => {
      const { account, session } = await requireSession(token);
      const now = clock.now();
      if (fresh && now.getTime() - session.authTime.getTime() > FRESH_MS) throw forbiddenFor('reauth_required');
      if (!isActivity || now.getTime() - session.lastSeenAt.getTime() < SEEN_MS) return shown(account, session);
      return context.commit(scope, async (at) => {
        const current = await requireLive(context, scope, session, at);
        const used = sessions.use(current, SESSION.idleDays, at);
        return { change: { writes: [used.write] }, result: shown(account, used.session) };
      });
    },
    reauthenticate: async (token, { password }) => {
      const { account, session } = await requireSession(token);
      await requirePresentPassword(context, scope, account.id, password);
      return context.commit(scope, async (now) => {
        const current = await requireLive(context, scope, session, now);
        const renewed = sessions.confirm(current, { aal: current.aal, amr: current.amr }, now);
        return { change: { writes: [renewed.write] }, result: shown(account, renewed.session) };
      });
    },
    sessions: async (token) => {
      const { account, session } = await requireSession(token);
      const data = await me.sessions(scope, { account, session });
      return wholePage(data);
    },
    revokeSession: async (token, id) => me.revokeSession(scope, await requireSession(token), id),
    logout: async (token) => {
      const found = await find(token);
      return found ? me.logout(scope, found, { scope: 'current' }) : { revoked: 0 };
    },
  };
};
