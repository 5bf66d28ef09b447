// Checks clientDataJSON, the browser's record of a ceremony. Runs before @simplewebauthn/server, which accepts
// `crossOrigin: true` without `topOrigin` at sign-in and ignores both members at registration.
// Source: WebAuthn Level 3, sections 5.8.1, 7.1 and 7.2.

import { constantTimeEqual } from '../../foundation/hash.ts';
import { bytesOfBase64url } from './bytes.ts';
import type { RelyingParty } from './relying-party.ts';

/** What was wrong with client data. */
export type ClientDataFault = 'malformed' | 'type' | 'challenge' | 'origin' | 'cross_origin' | 'token_binding';

export type ClientData =
  | { readonly ok: true; readonly topOrigin: string | undefined }
  | { readonly ok: false; readonly detail: ClientDataFault };

const refused = (detail: ClientDataFault): ClientData => ({ ok: false, detail });

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const parsed = (text: string): unknown => {
  const bytes = bytesOfBase64url(text);
  try {
    return bytes && JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
};

// A reserved member of Level 2. Nothing here knows the TLS connection, so a binding to one cannot be checked.
const isUnbound = (tokenBinding: unknown): boolean =>
  tokenBinding === undefined || (isRecord(tokenBinding) && tokenBinding.status === 'supported');

/**
 * Reads and checks client data. Unknown members are accepted, because browsers may add members at any time. Throws nothing.
 *
 * @param clientDataJSON base64url as the browser sent it
 * @param challenge base64url of the challenge of this ceremony
 */
export const readClientData = ({
  clientDataJSON,
  type,
  challenge,
  party,
}: {
  readonly clientDataJSON: string;
  readonly type: 'webauthn.create' | 'webauthn.get';
  readonly challenge: string;
  readonly party: Pick<RelyingParty, 'origins' | 'allowCrossOrigin'>;
}): ClientData => {
  const data = parsed(clientDataJSON);
  if (!isRecord(data) || typeof data.challenge !== 'string' || typeof data.origin !== 'string')
    return refused('malformed');
  const { crossOrigin = false, topOrigin } = data;
  if (typeof crossOrigin !== 'boolean' || (topOrigin !== undefined && typeof topOrigin !== 'string'))
    return refused('malformed');
  if (data.type !== type) return refused('type');
  if (!constantTimeEqual(Buffer.from(data.challenge), Buffer.from(challenge))) return refused('challenge');
  if (!party.origins.includes(data.origin)) return refused('origin');
  // Only a frame of another origin has a top origin.
  if (crossOrigin ? !party.allowCrossOrigin : topOrigin !== undefined) return refused('cross_origin');
  if (!isUnbound(data.tokenBinding)) return refused('token_binding');
  return { ok: true, topOrigin };
};
