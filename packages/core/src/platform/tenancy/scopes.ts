import type { KeyKind } from '../../foundation/key-kind.ts';

/**
 * All scopes. The list is closed: routes require, and keys have, only these. Source: interface, Authentication;
 * contract, Keys and scopes.
 */
export const KEY_SCOPES = [
  'events.write',
  'tokens:write',
  'push:send',
  'push:read',
  'push:write',
  'email:send',
  'email:read',
  'email:write',
  'sms:send',
  'sms:read',
  'sms:write',
  'profiles:read',
  'profiles:write',
  'audiences:read',
  'audiences:write',
  'workflows:read',
  'workflows:write',
  'webhooks:read',
  'webhooks:write',
  'analytics:read',
  'keys:read',
  'auth:read',
  'auth:write',
] as const;

/** One scope, as required by a route. */
export type KeyScope = (typeof KEY_SCOPES)[number];

/** Scopes of a key in a browser or an app: writing its own events and tokens, and nothing that reads or sends. */
const PUBLIC_SCOPES = ['events.write', 'tokens:write'] as const satisfies readonly KeyScope[];

/** All scopes that a key of a kind may have, which are also its default. Throws nothing. */
export const scopesOf = (kind: KeyKind): readonly KeyScope[] => (kind === 'public' ? PUBLIC_SCOPES : KEY_SCOPES);
