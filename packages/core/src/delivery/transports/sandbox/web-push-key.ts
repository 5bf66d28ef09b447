/**
 * The VAPID public key of the sandbox: a point of P-256 as base64url. Its private key was destroyed, so subscriptions
 * made with it can never receive a push.
 */
export const SANDBOX_WEB_PUSH_KEY =
  'BHK89GbVq5c3aGEsKIDQQa2QwVh9N1EVI-OTZ1nrMWTxsXV6OTYW1S-W_l2enlA4UnNkouE7fAmwdJjrAIaVDYA';
