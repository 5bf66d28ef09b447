import type { Environment } from '../../foundation/scope.ts';

/** Claims of an access token, besides those of the project's template. Times are whole seconds since 1970. */
export type AccessTokenClaims = {
  readonly iss: string;
  /** Id of the account. */
  readonly sub: string;
  /** userId of the account's profile. */
  readonly uid: string;
  /** Id of the project. */
  readonly aud: string;
  readonly iat: number;
  readonly exp: number;
  readonly jti: string;
  /** Id of the session. */
  readonly sid: string;
  readonly org_id: string;
  readonly project_id: string;
  readonly env: Environment;
  /** Methods of authentication. Source: RFC 8176. */
  readonly amr: readonly string[];
  readonly aal: 'aal1' | 'aal2';
  readonly auth_time: number;
  readonly email?: string;
  readonly email_verified: boolean;
  readonly is_anonymous: boolean;
  /** The administrator that impersonates the user: `key:` and the id of a secret key. Source: RFC 8693, section 4.1. */
  readonly act?: { readonly sub: string };
};

/** Claims that Beckon issues, in the order of a token. */
export const STANDARD_CLAIMS = [
  'iss',
  'sub',
  'uid',
  'aud',
  'iat',
  'exp',
  'jti',
  'sid',
  'org_id',
  'project_id',
  'env',
  'amr',
  'aal',
  'auth_time',
  'email',
  'email_verified',
  'is_anonymous',
  'act',
] as const satisfies readonly (keyof AccessTokenClaims)[];

/** Claims that a template must not set: Beckon's own, and those whose meaning RFC 7519 and RFC 9068 fix. */
export const RESERVED_CLAIMS: ReadonlySet<string> = new Set([...STANDARD_CLAIMS, 'nbf', 'typ', 'scope', 'client_id']);

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isOptionalText = (value: unknown): boolean => value === undefined || isText(value);
const isSeconds = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isActor = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && value !== null && 'sub' in value && isText(value.sub));

const CHECKS: { readonly [Name in (typeof STANDARD_CLAIMS)[number]]: (value: unknown) => boolean } = {
  iss: isText,
  sub: isText,
  uid: isText,
  aud: isText,
  iat: isSeconds,
  exp: isSeconds,
  jti: isText,
  sid: isText,
  org_id: isText,
  project_id: isText,
  env: (value) => value === 'prod' || value === 'test',
  amr: (value) => Array.isArray(value) && value.every(isText),
  aal: (value) => value === 'aal1' || value === 'aal2',
  auth_time: isSeconds,
  email: isOptionalText,
  email_verified: (value) => typeof value === 'boolean',
  is_anonymous: (value) => typeof value === 'boolean',
  act: isActor,
};

/** The first standard claim that is missing or has a wrong type; null if there is none. Throws nothing. */
export const wrongClaimOf = (payload: Readonly<Record<string, unknown>>): keyof AccessTokenClaims | null => {
  for (const name of STANDARD_CLAIMS)
    if (!CHECKS[name](Object.hasOwn(payload, name) ? payload[name] : undefined)) return name;
  return null;
};
