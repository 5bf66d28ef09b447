import { BeckonError, conflict, validationError } from '../../foundation/errors.ts';

/** Reasons of a 401, and their sentences. A reason tells a client what to do, and nothing about accounts. */
const UNAUTHORIZED = {
  invalid_credentials: 'Wrong email address or password.',
  token_invalid: 'The token is not valid or has expired. Sign in again, or request a new link.',
  code_invalid: 'The code is wrong or has expired. Request a new one.',
  challenge_expired: 'The challenge has expired or has used its codes. Sign in again.',
  passkey_invalid: 'The passkey was not accepted. Try again.',
  refresh_invalid: 'The refresh token is not valid. Sign in again.',
  refresh_reused: 'The refresh token was already used, so the session was ended. Sign in again.',
  session_expired: 'The session has ended. Sign in again.',
  invalid_grant: 'The code or its verifier is not valid, or the code has expired. Start the sign-in again.',
  invalid_id_token: 'The ID token is not valid. Request a new one from the provider.',
} as const;
export type UnauthorizedReason = keyof typeof UNAUTHORIZED;

/** The 401 of sign-in. Throws nothing. */
export const unauthorizedFor = (
  reason: UnauthorizedReason,
  extra: Readonly<Record<string, unknown>> = {},
): BeckonError => new BeckonError('UNAUTHORIZED', UNAUTHORIZED[reason], { details: { ...extra, reason } });

const FORBIDDEN = {
  email_not_verified:
    'The email address is not verified. Request a new email with POST /auth-service/email/verification.',
  reauth_required: 'This needs a recent sign-in. Call POST /auth-service/reauthenticate first.',
  signup_disabled: 'Sign-up is disabled for this project.',
  mfa_enrollment_required: 'This project requires a second factor. Enroll one first.',
  not_anonymous: 'The user is not a guest.',
  anonymous: 'Guests cannot do this. Upgrade the account with POST /auth-service/anonymous/upgrade first.',
  anonymous_disabled: 'Sign-in of guests is disabled for this project.',
  mfa_blocked: 'Second factors of this account are blocked after too many wrong codes. Ask for a reset.',
  denied: 'The request was denied.',
  captcha_failed: 'The captcha was not passed. Show it again, and send its response as captchaToken.',
} as const;
export type ForbiddenReason = keyof typeof FORBIDDEN;

/** The 403 of sign-in. Throws nothing. */
export const forbiddenFor = (reason: ForbiddenReason, extra: Readonly<Record<string, unknown>> = {}): BeckonError =>
  new BeckonError('FORBIDDEN', FORBIDDEN[reason], { details: { ...extra, reason } });

/** The 429 after several wrong codes in a row. The code was not checked. Throws nothing. */
export const mfaWait = (retryAfterSeconds: number): BeckonError =>
  new BeckonError('RATE_LIMITED', 'Too many wrong codes. Wait before you try another one; this one was not checked.', {
    details: { retryAfterSeconds, limit: 1, reason: 'mfa_wait' },
  });

/** The 412 without `publicUrl`: no link, no issuer and no domain of passkeys can be made. Throws nothing. */
export const publicUrlMissing = (): BeckonError =>
  new BeckonError(
    'PROVIDER_NOT_CONFIGURED',
    'Sign-in needs the public address of this service. Set publicUrl in the options, or BECKON_PUBLIC_URL.',
    { details: { channel: 'auth', provider: 'beckon', missing: ['publicUrl'] } },
  );

/** The 412 of a social provider that is not set up or disabled. Throws nothing. */
export const socialNotConfigured = (provider: string): BeckonError =>
  new BeckonError(
    'PROVIDER_NOT_CONFIGURED',
    `Sign-in with ${provider} is not set up. Set it up with PUT /auth-service/social/providers/${provider}.`,
    { details: { channel: 'auth', provider, missing: ['credentials'] } },
  );

/** The 400 of a redirect target that is not in the settings. Throws nothing. */
export const redirectNotAllowed = (): BeckonError =>
  validationError({ redirectTo: ['must be one of the redirectUris of the sign-in settings'] }, undefined, {
    reason: 'redirect_not_allowed',
  });

/** The 429 of a project that has planned all sign-in emails of its hour. Throws nothing. */
export const projectMailExceeded = (perHour: number, waitMs: number): BeckonError => {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new BeckonError('RATE_LIMITED', `This project has sent its ${perHour} sign-in emails of an hour.`, {
    details: { retryAfterSeconds, limit: perHour, reason: 'project_mail' },
  });
};

/** The 409 of an address that has an account. Throws nothing. */
export const accountExists = (): BeckonError => conflict('account_exists');
