// Responses of SCIM: bodies without envelope, in errors too. Source: RFC 7644, 3.12 and 8.1.

import type { ScimResponse } from '@beckon/core/identity';
import type { Answer } from './envelope.ts';

export const SCIM_TYPE = 'application/scim+json';
const CONTENT = { 'Content-Type': `${SCIM_TYPE}; charset=utf-8` };
const ERROR_SCHEMA_ID = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** The response of the engine as an adapter sends it. Throws nothing. */
export const scimAnswer = ({ status, headers, body }: ScimResponse, more: Answer['headers'] = null): Answer =>
  body === null
    ? { status, headers: { ...headers, ...more }, body: '' }
    : { status, headers: { ...CONTENT, ...headers, ...more }, body: JSON.stringify(body) };

type Envelope = {
  readonly error?: {
    readonly code?: string;
    readonly message?: string;
    readonly details?: { readonly requiredPlan?: string };
  };
};

const detailOf = ({ error: { code, message, details } = {} }: Envelope): string =>
  code === 'tier_required' ? `tier_required: ${details?.requiredPlan}` : (message ?? 'The request failed');

/** The error of the pipeline or of an engine as a SCIM body with its status and headers. Throws nothing. */
export const scimErrorAnswer = ({ status, headers, body }: Answer): Answer => {
  // Safe: `answerOfError` wrote it.
  const envelope = JSON.parse(typeof body === 'string' ? body : '{}') as Envelope;
  const isSyntax = status === 400;
  return {
    status,
    headers: { ...headers, ...CONTENT, ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }) },
    body: JSON.stringify({
      schemas: [ERROR_SCHEMA_ID],
      status: String(status),
      ...(isSyntax && { scimType: 'invalidSyntax' }),
      detail: detailOf(envelope),
    }),
  };
};

/** True for a path of SCIM. Throws nothing. */
export const isScimPath = (path: string, basePath: string): boolean =>
  path.startsWith(`${basePath}/auth-service/scim/v2/`);
