import { conflict, notFound, validationError } from '../../foundation/errors.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { AccountRow } from '../accounts/account.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { AuthContext } from '../flow/context.ts';
import type { Finish } from '../flow/finish.ts';
import { parseBody } from '../flow/input.ts';
import { requireEnabled, requireLive } from '../flow/require.ts';
import { serialCalls } from '../flow/serial-calls.ts';
import { base32 } from '../mfa/base32.ts';
import { isConfirmed } from '../mfa/rows.ts';
import { otpauthUri } from '../mfa/totp.ts';
import type { NewSession } from '../sessions/sessions.ts';
import type { Bearer } from '../shapes/bearer.ts';
import { unauthorizedFor } from '../shapes/errors.ts';
import type { MfaConfirmed, MfaEnrollment, RecoveryCodes } from './answers.generated.ts';
import { confirmFactorBody } from './bodies.ts';

/** Authenticator apps of one user. Source: auth.md, MFA. */
const MAX_FACTORS = 5;
/** Wrong codes after which an enrollment must begin again. Source: auth.md, MFA. */
const MAX_ENROLL_TRIES = 5;

/** Begins the enrollment of an authenticator app, in place of one that was begun before. */
export const enrollTotp =
  (context: AuthContext) =>
  async (scope: Scope, bearer: Bearer): Promise<MfaEnrollment> => {
    const { mfa, accounts } = context;
    return context.commit(scope, async (now) => {
      const account = await requireEnabled(context, scope, bearer.account);
      const factors = await mfa.factorsOf(scope, account.id);
      if (factors.filter(isConfirmed).length >= MAX_FACTORS) throw conflict('too_many', { max: MAX_FACTORS });
      const { row, secret, write } = await mfa.newTotp(scope, account.id, now);
      const begun = factors.filter((factor) => !isConfirmed(factor));
      const { rpName } = (await context.settings.load(scope)).passkey;
      const name = { issuer: rpName ?? scope.projectId, account: account.email ?? account.userId };
      return {
        change: { writes: [accounts.unchanged(account), ...begun.map(mfa.deleteFactor), write] },
        result: { factorId: row.id, secret: base32(secret), otpauthUri: otpauthUri({ ...name, secret }) },
      };
    });
  };

type Confirmed = {
  readonly account: AccountRow;
  readonly session: NewSession;
  readonly recoveryCodes: readonly string[];
} | null;

/** Ends an enrollment with the first code of the app. The session then counts as one with two factors. */
export const confirmTotp = (context: AuthContext, finish: Finish) => {
  const oneByOne = serialCalls();
  const confirm = async (scope: Scope, bearer: Bearer, body: unknown, client: ClientInfo): Promise<MfaConfirmed> => {
    const { factorId, code } = parseBody(confirmFactorBody, body);
    const { accounts, audit, mfa, sessions } = context;
    const settings = await context.settings.load(scope);
    const confirmed = await context.commit<Confirmed>(scope, async (now) => {
      const account = await requireEnabled(context, scope, bearer.account);
      const factors = await mfa.factorsOf(scope, account.id);
      const factor = factors.find(({ id }) => id === factorId);
      if (!factor || isConfirmed(factor)) throw notFound('enrollment with this factorId', scope);
      if (factors.filter(isConfirmed).length >= MAX_FACTORS) throw conflict('too_many', { max: MAX_FACTORS });
      if (factor.tries >= MAX_ENROLL_TRIES) return { change: {}, result: null };
      const step = await mfa.stepOf(scope, factor, code, now);
      if (step === null) return { change: { writes: [mfa.tryFactor(factor)] }, result: null };
      const session = await requireLive(context, scope, bearer.session, now);
      const amr = [...new Set([...session.amr, 'otp', 'mfa'])];
      const next = sessions.authenticated(scope, session, { aal: 'aal2', amr }, now);
      const codes = mfa.newCodes(scope, account.id);
      // The version of the account changes, so that a sign-in at the same time cannot miss the factor.
      const changed = accounts.change(account, { mfaEnabledAt: account.mfaEnabledAt ?? now }, now);
      const entry = { actor: `user:${account.id}`, action: 'mfa.enroll', target: account.id, result: 'ok', client };
      return {
        change: {
          writes: [
            changed.write,
            mfa.confirmFactor(factor, step, now),
            ...codes.writes,
            ...next.writes,
            audit.record(scope, entry, now),
          ],
        },
        result: { account: changed.row, session: next, recoveryCodes: codes.codes },
      };
    });
    if (confirmed === null) throw unauthorizedFor('code_invalid');
    const tokens = await finish.tokens(scope, confirmed.account, confirmed.session, settings);
    return { recoveryCodes: [...confirmed.recoveryCodes], tokens };
  };
  return (scope: Scope, bearer: Bearer, body: unknown, client: ClientInfo): Promise<MfaConfirmed> =>
    oneByOne(bearer.account.id, () => confirm(scope, bearer, body, client));
};

/** Replaces the recovery codes of a user who has a second factor. */
export const renewRecoveryCodes =
  (context: AuthContext) =>
  async (scope: Scope, bearer: Bearer, client: ClientInfo): Promise<RecoveryCodes> =>
    context.commit(scope, async (now) => {
      const account = await requireEnabled(context, scope, bearer.account);
      if (account.mfaEnabledAt === null) throw validationError({ user: ['has no second factor'] });
      const codes = context.mfa.newCodes(scope, account.id);
      const entry = { actor: `user:${account.id}`, action: 'mfa.codes', target: account.id, result: 'ok', client };
      // Of two renewals at once the later one replaces all codes of the earlier one.
      const { write } = context.accounts.change(account, {}, now);
      return {
        change: { writes: [write, ...codes.writes, context.audit.record(scope, entry, now)] },
        result: { recoveryCodes: [...codes.codes] },
      };
    });
