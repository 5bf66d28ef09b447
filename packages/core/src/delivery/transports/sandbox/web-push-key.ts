/**
 * What browsers subscribe with where nothing leaves the machine: a point of P-256 as base64url. Its private key was thrown
 * away, so that no subscription made with it can be pushed to by anybody.
 */
export const SANDBOX_WEB_PUSH_KEY =
  'BHK89GbVq5c3aGEsKIDQQa2QwVh9N1EVI-OTZ1nrMWTxsXV6OTYW1S-W_l2enlA4UnNkouE7fAmwdJjrAIaVDYA';
