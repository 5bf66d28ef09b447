// Access tokens of sessions: signs them, and checks the ones that requests bear.

import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../foundation/clock.ts';
import type { Ids } from '../../foundation/ids.ts';
import { lru } from '../../foundation/lru.ts';
import type { Scope } from '../../foundation/scope.ts';
import { type AccountRow, isVerified } from '../accounts/account.ts';
import type { AuthSettings } from '../auth-settings/schema.ts';
import { mustEnroll } from '../mfa/enrollment.ts';
import type { SessionRow } from '../sessions/session.ts';
import type { TokenSet } from '../shapes/answers.generated.ts';
import { publicUrlMissing } from '../shapes/errors.ts';
import { userOf } from '../shapes/user.ts';
import { issuerOf } from '../signing-keys/jwks.ts';
import type { SigningKeys } from '../signing-keys/signing-keys.ts';
import { signAccessToken, type VerifiedToken, verifyAccessToken } from './access-token.ts';
import type { ClaimsTemplate } from './claims-template.ts';
import { DEVICE_TOKEN_MS, type DeviceClaims, type DeviceTokens } from './device-token.ts';

export type TokenIssuer = {
  /** Throws PROVIDER_NOT_CONFIGURED without `publicUrl`. */
  requireIssuer(): void;
  /** Throws PROVIDER_NOT_CONFIGURED without `publicUrl`. */
  issuerOf(scope: Pick<Scope, 'projectId' | 'environment'>): string;
  /** The tokens of a session that is on disk. Throws errors of the database and of the keyring. */
  tokenSet(
    scope: Scope,
    input: {
      readonly account: AccountRow;
      readonly session: SessionRow;
      readonly refreshToken: string;
      readonly settings: AuthSettings;
    },
  ): Promise<TokenSet>;
  /** The access token of a session that is on disk. Throws as `tokenSet`. */
  accessToken(
    scope: Scope,
    input: {
      readonly account: AccountRow;
      readonly session: SessionRow;
      readonly alg: AuthSettings['token']['alg'];
      readonly ttlSeconds: number;
    },
  ): Promise<string>;
  verify(scope: Scope, token: string): Promise<VerifiedToken>;
  /** The claims of a valid device token of this environment; null for anything else. */
  readDevice(scope: Scope, token: string | undefined): DeviceClaims | null;
};

/** Verified tokens that are cached. Chosen: 3 MB; a token is used for 15 minutes. */
const MAX_CACHED = 5_000;

const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1_000);

export const tokenIssuer = ({
  clock,
  ids,
  keys,
  devices,
  claimsOf,
  publicUrl,
}: {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly keys: Pick<SigningKeys, 'signer' | 'verifiers'>;
  readonly devices: DeviceTokens;
  /** The claims that the project adds. */
  readonly claimsOf: (scope: Scope, account: AccountRow, session: SessionRow) => Promise<ClaimsTemplate>;
  readonly publicUrl: string | null;
}): TokenIssuer => {
  const issuer: TokenIssuer['issuerOf'] = ({ projectId, environment }) => {
    if (publicUrl === null) throw publicUrlMissing();
    return issuerOf({ publicUrl, projectId, environment });
  };
  const accessToken: TokenIssuer['accessToken'] = async (scope, { account, session, alg, ttlSeconds }) => {
    const now = clock.now();
    const key = await keys.signer(scope, alg);
    const templateClaims = await claimsOf(scope, account, session);
    return signAccessToken({
      ...{ key, templateClaims },
      claims: {
        ...{ iss: issuer(scope), sub: account.id, uid: account.userId, aud: scope.projectId },
        ...{ iat: secondsOf(now), exp: secondsOf(now) + ttlSeconds, jti: ids.next(), sid: session.id },
        ...{ org_id: scope.orgId, project_id: scope.projectId, env: scope.environment },
        ...{ amr: session.amr, aal: session.aal, auth_time: secondsOf(session.authTime) },
        ...(account.email !== null && { email: account.email }),
        ...{ email_verified: isVerified(account), is_anonymous: account.isAnonymous },
        ...(session.actor !== null && { act: { sub: session.actor } }),
      },
    });
  };
  const signatures = lru<string, KeyObject>(MAX_CACHED);
  return {
    issuerOf: issuer,
    requireIssuer: () => {
      if (publicUrl === null) throw publicUrlMissing();
    },
    accessToken,
    tokenSet: async (scope, { account, session, refreshToken, settings }) => {
      const now = clock.now();
      const { accessTtlSeconds, alg } = settings.token;
      const token = await accessToken(scope, { account, session, alg, ttlSeconds: accessTtlSeconds });
      const device = { userId: account.id, deviceId: session.deviceId, expiresAtMs: now.getTime() + DEVICE_TOKEN_MS };
      return {
        ...{ accessToken: token, tokenType: 'Bearer', expiresIn: accessTtlSeconds, refreshToken },
        ...{ refreshExpiresAt: session.idleExpiresAt, sessionId: session.id },
        deviceToken: devices.sign({ scopeId: scope.scopeId, ...device }),
        ...(mustEnroll(account, session, settings) && { mfaEnrollmentRequired: true }),
        user: userOf(account),
      };
    },
    verify: async (scope, token) =>
      verifyAccessToken({
        ...{ token, keys: await keys.verifiers(scope), issuer: issuer(scope), audience: scope.projectId },
        ...{ nowMs: clock.now().getTime(), signatures },
      }),
    readDevice: (scope, token) => {
      const claims = token === undefined ? null : devices.read(token, clock.now().getTime());
      return claims?.scopeId === scope.scopeId ? claims : null;
    },
  };
};
