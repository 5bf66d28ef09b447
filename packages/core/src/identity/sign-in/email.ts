import { isObject } from '../../foundation/json.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { AccountRow } from '../accounts/account.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { AuthContext } from '../flow/context.ts';
import { identified } from '../flow/identified.ts';
import { emailIn, linkOf, parseBody, redirectOf } from '../flow/input.ts';
import { planNotice } from '../flow/notice.ts';
import { isPasswordOf } from '../flow/password-proof.ts';
import { proveMailbox } from '../flow/prove.ts';
import type { ImportedHash } from '../hash-configs/hash-configs.ts';
import type { Spend } from '../one-time/one-time.ts';
import { isVerifierOf } from '../one-time/pkce.ts';
import type { OneTimeRow } from '../one-time/row.ts';
import { isSecret, lifeMsOf } from '../one-time/secrets.ts';
import type { AuthMailSent, EmailRestored, EmailVerified } from '../shapes/answers.generated.ts';
import type { Bearer } from '../shapes/bearer.ts';
import { changeEmailBody, undoEmailBody, verificationBody, verifyEmailBody } from '../shapes/bodies.ts';
import { accountExists, unauthorizedFor } from '../shapes/errors.ts';
import { planUpgrade } from './guests.ts';
import { SENT } from './reset.ts';

/** Emails a new link and code to verify an address. Answers alike for every address. */
export const requestVerification =
  (context: AuthContext) =>
  async (scope: Scope, body: unknown, client: ClientInfo): Promise<AuthMailSent> => {
    const input = parseBody(verificationBody, body);
    const settings = await context.settings.load(scope);
    const target = redirectOf(input.redirectTo, settings);
    await context.requireEmail(scope);
    const { emailNorm } = emailIn(input.email);
    await context.captcha.require(scope, input.captchaToken, client);
    const { accounts, budget, oneTime, makeEmail } = context;
    const codeChallenge = input.codeChallenge ?? null;
    await context.commit(scope, async (now) => {
      const debit = await budget.debit(scope, emailNorm, now);
      if (debit === null) return { change: {}, result: null };
      const found = await accounts.byEmail(scope, emailNorm);
      const account = found && found.disabledAt === null && found.emailVerifiedAt === null ? found : null;
      const issued = await oneTime.issue(
        scope,
        {
          ...{ kind: 'verify', secret: 'verify', hasCode: true, emailNorm, accountId: account?.id ?? null },
          ...{ codeChallenge, payload: null, lifeMs: lifeMsOf('verify') },
        },
        now,
      );
      const link = linkOf(target, { token: issued.secret, codeChallenge });
      const to = account?.email ?? emailNorm;
      const email = await makeEmail(scope, {
        kind: 'verify',
        to,
        link,
        code: issued.code,
        expiresAt: issued.expiresAt,
        locale: account?.locale,
      });
      const mail = account ? { emails: [email] } : { unsent: [email] };
      return { change: { writes: [...debit, ...issued.writes], ...mail }, result: null };
    });
    return SENT;
  };

const textAt = (payload: unknown, name: string): string | null => {
  const value = isObject(payload) && Object.hasOwn(payload, name) ? payload[name] : null;
  return typeof value === 'string' ? value : null;
};

/**
 * Verifies an address with the token or the code of an email. The password of a sign-up stays valid only if the request
 * also has the sign-up's PKCE verifier or its password, since the account may be somebody else's. Never starts a session.
 *
 * Throws UNAUTHORIZED `token_invalid` or `code_invalid`, OVERLOADED.
 */
export const verifyEmail =
  (context: AuthContext) =>
  async (scope: Scope, body: unknown, client: ClientInfo): Promise<EmailVerified> => {
    const input = parseBody(verifyEmailBody, body);
    const settings = await context.settings.load(scope);
    const { accounts, oneTime, audit } = context;
    const { token } = input;
    const isChange = isSecret('email_change', token);
    const kind = isChange ? 'email_change' : 'verify';
    const spend = (now: Date): Promise<Spend> =>
      token === undefined
        ? oneTime.spendCode(
            scope,
            { kind: 'verify', emailNorm: emailIn(input.email ?? '').emailNorm, challengeId: null, code: input.code },
            now,
          )
        : oneTime.spendSecret(scope, { kind, form: kind, secret: token }, now);
    const refused = () => unauthorizedFor(token === undefined ? 'code_invalid' : 'token_invalid');

    /** The password that stays valid: null if none does. */
    const keptPassword = async (row: OneTimeRow, account: AccountRow): Promise<ImportedHash | null> => {
      const payload = await oneTime.payloadOf(scope, row);
      const stored = await accounts.passwordOf(scope, account.id);
      const requested = textAt(payload, 'hash');
      const kept = requested === null ? stored : { hash: requested, hashConfigId: null };
      if (kept === null) return null;
      const challenge = requested === null ? (stored?.codeChallenge ?? null) : row.codeChallenge;
      if (input.codeVerifier !== undefined && isVerifierOf(input.codeVerifier, challenge)) return kept;
      if (input.password === undefined) return null;
      return (await isPasswordOf(context, scope, kept, input.password)) ? kept : null;
    };

    const outcome = await context.commit<EmailVerified | null>(scope, async (now) => {
      const spent = await spend(now);
      if (!spent.ok) return { change: { writes: spent.writes }, result: null };
      const account = spent.row.accountId === null ? null : await accounts.byId(scope, spent.row.accountId);
      if (!account || account.disabledAt !== null) return { change: {}, result: null };
      if (isChange) {
        const next = emailIn(textAt(await oneTime.payloadOf(scope, spent.row), 'email') ?? '');
        const other = await accounts.byEmail(scope, next.emailNorm);
        if (other && other.id !== account.id) throw accountExists();
        const changes = { email: next.email, emailNorm: next.emailNorm, emailVerifiedAt: now };
        const changed = accounts.change(account, changes, now);
        const former = { email: account.email, emailNorm: account.emailNorm };
        const undo = await oneTime.issue(
          scope,
          {
            ...{ kind: 'email_undo', secret: 'email_undo', hasCode: false, emailNorm: account.emailNorm ?? '' },
            ...{ accountId: account.id, codeChallenge: null, payload: former, lifeMs: lifeMsOf('email_undo') },
          },
          now,
        );
        const link = linkOf(settings.redirectUris[0] ?? null, { token: undo.secret }) ?? undo.secret;
        const to = [
          { address: account.email, link },
          { address: next.email, link: null },
        ];
        const about = { account, kind: 'email_changed_notice', to, expiresAt: undo.expiresAt } as const;
        const notice = await planNotice(context, scope, about, settings, now);
        const entry = { actor: `user:${account.id}`, action: 'email.change', target: account.id, result: 'ok', client };
        return {
          change: {
            // All outstanding links and codes of the account end with the former address.
            writes: [
              oneTime.removeOf(scope, account.id),
              changed.write,
              ...undo.writes,
              audit.record(scope, entry, now),
              ...notice.writes,
            ],
            profile: accounts.profileOf(changed.row, settings),
            events: [identified(changed.row, ['email'])],
            emails: notice.emails,
          },
          result: { verified: true, passwordKept: true },
        };
      }
      if (account.isAnonymous) {
        const hash = (await keptPassword(spent.row, account))?.hash ?? null;
        const email = textAt(await oneTime.payloadOf(scope, spent.row), 'email') ?? '';
        if (hash === null) return { change: {}, result: null };
        const change = await planUpgrade(context, scope, account, { hash, email, settings, client, now });
        const writes = [...spent.writes, ...(change.writes ?? [])];
        return { change: { ...change, writes }, result: { verified: true, passwordKept: true } };
      }
      if (account.emailVerifiedAt !== null)
        return { change: { writes: spent.writes }, result: { verified: true, passwordKept: true } };
      const kept = await keptPassword(spent.row, account);
      const proven = await proveMailbox(context, scope, account, { keepsCredentials: kept !== null, settings, now });
      return {
        change: {
          writes: [
            ...spent.writes,
            ...proven.writes,
            ...(kept === null ? [] : [accounts.setPassword(account, kept.hash, null, now, kept.hashConfigId)]),
          ],
          profile: proven.profile,
          events: proven.events,
        },
        result: { verified: true, passwordKept: kept !== null },
      };
    });
    if (outcome === null) throw refused();
    return outcome;
  };

/** Emails a confirmation to a new address of a signed-in user. The address changes when it is confirmed. */
export const requestEmailChange =
  (context: AuthContext) =>
  async (scope: Scope, { account }: Bearer, body: unknown, client: ClientInfo): Promise<AuthMailSent> => {
    const input = parseBody(changeEmailBody, body);
    const settings = await context.settings.load(scope);
    const target = redirectOf(input.redirectTo, settings);
    await context.requireEmail(scope);
    const { email, emailNorm } = emailIn(input.newEmail, 'newEmail');
    await context.captcha.require(scope, input.captchaToken, client);
    const { budget, oneTime, makeEmail, accounts } = context;
    await context.commit(scope, async (now) => {
      const debit = await budget.debit(scope, emailNorm, now);
      if (debit === null) return { change: {}, result: null };
      const other = await accounts.byEmail(scope, emailNorm);
      const issued = await oneTime.issue(
        scope,
        {
          ...{ kind: 'email_change', secret: 'email_change', hasCode: false, emailNorm },
          ...{
            accountId: other ? null : account.id,
            codeChallenge: null,
            payload: { email },
            lifeMs: lifeMsOf('email_change'),
          },
        },
        now,
      );
      const link = linkOf(target, { token: issued.secret }) ?? issued.secret;
      const { expiresAt } = issued;
      // The owner of an address that has an account learns of it; the caller does not.
      const request = await makeEmail(
        scope,
        other
          ? { kind: 'exists', to: other.email ?? email, link: null, code: null, expiresAt, locale: other.locale }
          : { kind: 'email_change', to: email, link, code: null, expiresAt, locale: account.locale },
      );
      return { change: { writes: [...debit, ...issued.writes], emails: [request] }, result: null };
    });
    return SENT;
  };

/** Restores the former address with the token of the notice, and ends all sessions. Throws UNAUTHORIZED `token_invalid`. */
export const undoEmailChange =
  (context: AuthContext) =>
  async (scope: Scope, body: unknown, client: ClientInfo): Promise<EmailRestored> => {
    const { token } = parseBody(undoEmailBody, body);
    const settings = await context.settings.load(scope);
    const { accounts, oneTime, sessions, audit } = context;
    await context.commit(scope, async (now) => {
      const spent = await oneTime.spendSecret(scope, { kind: 'email_undo', form: 'email_undo', secret: token }, now);
      const account = spent.ok && spent.row.accountId !== null ? await accounts.byId(scope, spent.row.accountId) : null;
      if (!spent.ok || !account) throw unauthorizedFor('token_invalid');
      const payload = await oneTime.payloadOf(scope, spent.row);
      const former = emailIn(textAt(payload, 'email') ?? '');
      const other = await accounts.byEmail(scope, former.emailNorm);
      if (other && other.id !== account.id) throw accountExists();
      const changed = accounts.change(account, { email: former.email, emailNorm: former.emailNorm }, now);
      const revoked = await sessions.revokeAll(scope, account, 'password', now);
      const entry = { actor: `user:${account.id}`, action: 'email.undo', target: account.id, result: 'ok', client };
      return {
        change: {
          writes: [
            oneTime.removeOf(scope, account.id),
            changed.write,
            ...revoked.writes,
            audit.record(scope, entry, now),
          ],
          profile: accounts.profileOf(changed.row, settings),
          events: [identified(changed.row, ['email'])],
        },
        result: null,
      };
    });
    return { restored: true };
  };
