/** What a one-time row grants. */
export const ONE_TIME_KINDS = [
  'verify',
  'reset',
  // A sign-in by email: a link with a code, or a code alone.
  'magic',
  'email_change',
  'email_undo',
  'reauth',
  'exchange',
  'webauthn',
  'state',
  // A sign-in with a connection that has gone to its identity provider.
  'oidc_request',
  'saml_request',
] as const;
export type OneTimeKind = (typeof ONE_TIME_KINDS)[number];
