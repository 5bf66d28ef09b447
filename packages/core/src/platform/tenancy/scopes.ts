import type { KeyKind } from '../../foundation/key-kind.ts';

/**
 * Every scope there is. The list is closed: what a route asks for and what a key may hold is one of these.
 * Source: interface, Authentication; contract, Keys and scopes.
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

/** One scope, as routes name what they need. */
export type KeyScope = (typeof KEY_SCOPES)[number];

/** What may stand in a browser or an app: writing one's own events and tokens, and nothing that reads or sends. */
const PUBLIC_SCOPES = ['events.write', 'tokens:write'] as const satisfies readonly KeyScope[];

/** The most that a key of a kind may hold, which is also what it holds when nothing else is asked. Throws nothing. */
export const scopesOf = (kind: KeyKind): readonly KeyScope[] => (kind === 'public' ? PUBLIC_SCOPES : KEY_SCOPES);
