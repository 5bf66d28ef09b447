// Sign-in with the link or the code of an email.

import { isObject } from '../../foundation/json.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { AccountRow } from '../accounts/account.ts';
import { accountEmailOf } from '../accounts/email-norm.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { AuthSettings } from '../auth-settings/schema.ts';
import type { AuthChange } from '../commit/commit.ts';
import type { AuthContext } from '../flow/context.ts';
import { failedSignIn } from '../flow/failed-sign-in.ts';
import type { Finish, PlannedSignIn, Proof } from '../flow/finish.ts';
import { parseBody } from '../flow/input.ts';
import { proveMailbox } from '../flow/prove.ts';
import type { Spend } from '../one-time/one-time.ts';
import type { OneTimeRow } from '../one-time/row.ts';
import type { AuthResult } from '../shapes/answers.generated.ts';
import { type UnauthorizedReason, unauthorizedFor } from '../shapes/errors.ts';
import { emailOtpVerifyBody, magicLinkVerifyBody } from './bodies.ts';

/** The account that signs in, and what the proof of its mailbox changes. */
type Owner = { readonly account: AccountRow; readonly isNew: boolean } & Required<
  Pick<AuthChange, 'writes' | 'profile' | 'events'>
>;

/** Finds the owner of the mailbox of a spent row, or creates the account; null: the row grants nothing. */
const ownerOf = async (
  context: AuthContext,
  scope: Scope,
  row: OneTimeRow,
  { settings, now }: { readonly settings: AuthSettings; readonly now: Date },
): Promise<Owner | null> => {
  const { accounts, oneTime } = context;
  const existing = row.emailNorm === null ? null : await accounts.byEmail(scope, row.emailNorm);
  if (existing) {
    if (existing.disabledAt !== null) return null;
    const proven = await proveMailbox(context, scope, existing, { keepsCredentials: false, settings, now });
    const { account } = proven;
    return {
      account: { ...account, lastSignInAt: now },
      isNew: existing.usableAt === null,
      // The guard of the sign-in sees the account as the proof leaves it.
      ...{ writes: [...proven.writes, accounts.signIn(account, now)], profile: proven.profile, events: proven.events },
    };
  }
  const payload = await oneTime.payloadOf(scope, row);
  const email = isObject(payload) && payload['mayCreate'] === true ? accountEmailOf(payload['email']) : null;
  // Sign-up may have been disabled since the request.
  if (email === null || settings.signup.mode === 'disabled') return null;
  const draft = accounts.draft(scope, { email, isEmailVerified: true }, 'signup', now);
  const account = { ...draft, usableAt: now, lastSignInAt: now };
  return { account, isNew: true, writes: [accounts.insert(account)], ...accounts.usable(account, settings) };
};

const signIn = async (
  context: AuthContext,
  finish: Finish,
  scope: Scope,
  {
    spend,
    method,
    client,
    reason,
  }: Pick<Proof, 'method' | 'client'> & {
    readonly spend: (now: Date) => Promise<Spend>;
    readonly reason: UnauthorizedReason;
  },
): Promise<AuthResult> => {
  const settings = await context.settings.load(scope);
  type Done = { readonly account: AccountRow; readonly planned: PlannedSignIn };
  const done = await context.commit<Done | null>(scope, async (now) => {
    const spent = await spend(now);
    const owner = spent.ok ? await ownerOf(context, scope, spent.row, { settings, now }) : null;
    // A wrong try is counted, so it is committed before it is refused.
    if (!owner) {
      const failed = failedSignIn(context, scope, { method, accountId: null, reason, client }, now);
      return { change: { writes: [...spent.writes, failed] }, result: null };
    }
    const { account, isNew, profile } = owner;
    const proof: Proof = { account, method, amr: ['otp'], aal: 'aal1', client, isNewUser: isNew };
    const planned = await finish.plan(scope, proof, settings, now);
    return {
      change: {
        writes: [...spent.writes, ...owner.writes, ...planned.writes],
        profile,
        events: [...owner.events, ...planned.events],
      },
      result: { account, planned },
    };
  });
  if (done === null) throw unauthorizedFor(reason);
  return finish.answer(scope, done.account, done.planned, settings);
};

/**
 * Signs in with the token of a link. A link that was requested with a PKCE challenge needs its verifier; five tries without
 * it end the link. The first proof of a mailbox removes credentials that were added before it.
 *
 * Throws UNAUTHORIZED `token_invalid`, PROVIDER_NOT_CONFIGURED.
 */
export const signInWithMagicLink =
  (context: AuthContext, finish: Finish) =>
  async (scope: Scope, body: unknown, client: ClientInfo): Promise<AuthResult> => {
    const { token, codeVerifier: verifier } = parseBody(magicLinkVerifyBody, body);
    context.tokens.requireIssuer();
    const secret = { kind: 'magic', form: 'magic', secret: token, verifier, needsVerifier: true } as const;
    const spend = (now: Date) => context.oneTime.spendSecret(scope, secret, now);
    return signIn(context, finish, scope, { spend, method: 'magic_link', client, reason: 'token_invalid' });
  };

/**
 * Signs in with the code of an email. Five wrong codes end the challenge.
 *
 * Throws UNAUTHORIZED `code_invalid`, PROVIDER_NOT_CONFIGURED.
 */
export const signInWithEmailCode =
  (context: AuthContext, finish: Finish) =>
  async (scope: Scope, body: unknown, client: ClientInfo): Promise<AuthResult> => {
    const { challengeId, email, code } = parseBody(emailOtpVerifyBody, body);
    context.tokens.requireIssuer();
    // A text that is no address has no challenge; the answer is that of a wrong code.
    const emailNorm = accountEmailOf(email)?.emailNorm ?? '';
    const spend = (now: Date) => context.oneTime.spendCode(scope, { kind: 'magic', emailNorm, challengeId, code }, now);
    return signIn(context, finish, scope, { spend, method: 'email_otp', client, reason: 'code_invalid' });
  };
