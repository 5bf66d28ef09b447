/** What a one-time row grants. */
export const ONE_TIME_KINDS = [
  'verify',
  'reset',
  'magic',
  'otp',
  'email_change',
  'email_undo',
  'reauth',
  'exchange',
  'webauthn',
  'state',
  'saml_request',
] as const;
export type OneTimeKind = (typeof ONE_TIME_KINDS)[number];
