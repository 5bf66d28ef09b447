// The stored form of a request: one line of JSON with everything except the body, then the body as received.

import type { Scope } from '../../foundation/scope.ts';
import type { SecretPlace } from '../../platform/tenancy/keyring.ts';
import type { CallbackRequest } from './reader.ts';

const LINE_END = 0x0a;

/** The place for which a stored request is encrypted. */
export const placeOfCallback = ({ orgId, projectId, environment }: Scope, id: string): SecretPlace => ({
  orgId,
  projectId,
  environment,
  table: 'callbacks',
  column: 'sealed',
  rowId: id,
});

export const packRequest = ({ method, url, headers, rawBody }: CallbackRequest): Uint8Array => {
  const head = JSON.stringify({ method, url: url.href, headers: [...headers] });
  return Buffer.concat([Buffer.from(head), Buffer.of(LINE_END), rawBody]);
};

/** Throws for anything that `packRequest` did not make. */
export const unpackRequest = (bytes: Uint8Array): CallbackRequest => {
  const end = bytes.indexOf(LINE_END);
  const head: { method: string; url: string; headers: [string, string][] } = JSON.parse(
    Buffer.from(bytes.subarray(0, end)).toString(),
  );
  return {
    method: head.method,
    url: new URL(head.url),
    headers: new Headers(head.headers),
    rawBody: bytes.subarray(end + 1),
  };
};
