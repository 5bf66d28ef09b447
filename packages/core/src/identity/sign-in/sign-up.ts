import { validationError } from '../../foundation/errors.ts';
import type { Scope } from '../../foundation/scope.ts';
import { accountMetadataOf } from '../accounts/metadata.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { AuthChange } from '../commit/commit.ts';
import type { AuthContext } from '../flow/context.ts';
import type { Finish, PlannedSignIn } from '../flow/finish.ts';
import { emailIn, linkOf, parseBody, redirectOf } from '../flow/input.ts';
import { callerOf } from '../flow/password-proof.ts';
import { lifeMsOf } from '../one-time/secrets.ts';
import { checkPassword } from '../passwords/policy.ts';
import type { AuthResult, SignedUp } from '../shapes/answers.generated.ts';
import { signUpBody } from '../shapes/bodies.ts';
import { accountExists, forbiddenFor } from '../shapes/errors.ts';

const DONE: SignedUp = { status: 'verification_required' };

/** Refuses a password that the policy refuses. Throws VALIDATION_ERROR. */
export const requirePassword = async (
  { breached }: Pick<AuthContext, 'breached'>,
  {
    password,
    emailNorm,
    minLength,
  }: { readonly password: string; readonly emailNorm: string | null; readonly minLength: number },
  field = 'password',
): Promise<void> => {
  const reason = await checkPassword({ password, email: emailNorm, minLength, breached });
  if (reason !== null) throw validationError({ [field]: [reason] });
};

/**
 * Signs a user up. Without `signup.autoSignIn` the answer, the work and the time are the same for an address that has an
 * account: its owner gets an email instead.
 *
 * Throws VALIDATION_ERROR for a weak password, FORBIDDEN `signup_disabled`, `captcha_failed` or `denied`,
 * PROVIDER_NOT_CONFIGURED, OVERLOADED, and with automatic sign-in CONFLICT `account_exists`.
 */
export const signUp =
  (context: AuthContext, finish: Finish) =>
  async (scope: Scope, body: unknown, client: ClientInfo): Promise<SignedUp | AuthResult> => {
    const input = parseBody(signUpBody, body);
    const settings = await context.settings.load(scope);
    if (settings.signup.mode === 'disabled') throw forbiddenFor('signup_disabled');
    const address = emailIn(input.email);
    const target = redirectOf(input.redirectTo, settings);
    const { autoSignIn, requireVerifiedEmail } = settings.signup;
    if (autoSignIn) context.tokens.requireIssuer();
    if (requireVerifiedEmail || !autoSignIn) await context.requireEmail(scope);
    else await context.requireMailCount(scope);
    await context.captcha.require(scope, input.captchaToken, client);
    await context.before(scope, { action: 'sign_up', email: address.emailNorm, client });
    await requirePassword(context, {
      ...{ password: input.password, emailNorm: address.emailNorm, minLength: settings.password.minLength },
    });
    const codeChallenge = input.codeChallenge ?? null;
    const hash = await context.hasher.hash(input.password, { ...callerOf(client), owner: scope.projectKey });
    const { accounts, oneTime, budget, makeEmail } = context;
    const { metadata } = accountMetadataOf(input.metadata ?? {}, false);

    type Result = { readonly signIn: PlannedSignIn; readonly account: Parameters<Finish['answer']>[1] } | null;
    const result = await context.commit<Result>(scope, async (now) => {
      const existing = await accounts.byEmail(scope, address.emailNorm);
      if (autoSignIn && existing) throw accountExists();
      const debit = await budget.debit(scope, address.emailNorm, now);
      // Over the limit of emails nothing changes, unless the answer reveals the account in any case.
      if (debit === null && !autoSignIn) return { change: {}, result: null };

      if (existing && (existing.emailVerifiedAt !== null || existing.disabledAt !== null)) {
        const expiresAt = new Date(now.getTime() + lifeMsOf('verify'));
        const email = await makeEmail(scope, {
          kind: 'exists',
          to: existing.email ?? address.email,
          link: null,
          code: null,
          expiresAt,
          locale: existing.locale,
        });
        return { change: { writes: debit ?? [], emails: [email] }, result: null };
      }
      const fields = { email: address, name: input.name, locale: input.locale, timezone: input.timezone, metadata };
      const row = existing ?? accounts.draft(scope, fields, 'signup', now);
      const usableNow = !existing && !requireVerifiedEmail;
      // A session that starts now counts as a use of the account.
      const account = { ...row, ...(usableNow && { usableAt: now }), ...(autoSignIn && { lastSignInAt: now }) };
      const issued = await oneTime.issue(
        scope,
        {
          ...{ kind: 'verify', secret: 'verify', hasCode: true, emailNorm: address.emailNorm, accountId: account.id },
          ...{ codeChallenge, lifeMs: lifeMsOf('verify') },
          // The password of a second sign-up becomes valid only with the proof of this one.
          payload: existing ? { hash } : null,
        },
        now,
      );
      const link = linkOf(target, { token: issued.secret, codeChallenge });
      const email = await makeEmail(scope, {
        ...{ kind: 'verify', to: account.email ?? address.email, link, code: issued.code, expiresAt: issued.expiresAt },
        locale: account.locale,
      });
      const usable = usableNow ? accounts.usable(account, settings) : null;
      const signIn = autoSignIn
        ? await finish.plan(
            scope,
            { account, method: 'signup', amr: ['pwd'], aal: 'aal1', client, isNewUser: true },
            settings,
            now,
          )
        : null;
      const change: AuthChange = {
        writes: [
          ...(debit ?? []),
          ...(debit === null ? [] : issued.writes),
          ...(existing ? [] : [accounts.insert(account), accounts.setPassword(account, hash, codeChallenge, now)]),
          ...(signIn?.writes ?? []),
        ],
        profile: usable?.profile ?? null,
        events: [...(usable?.events ?? []), ...(signIn?.events ?? [])],
        emails: debit === null ? [] : [email],
      };
      return { change, result: signIn && { signIn, account } };
    });
    return result === null ? DONE : finish.answer(scope, result.account, result.signIn, settings);
  };
