import type { Scope } from '../../foundation/scope.ts';

/** What a request does with resources of one kind, or with the discovery documents. */
export const SCIM_OPERATIONS = ['list', 'search', 'create', 'get', 'replace', 'patch', 'delete'] as const;
export type ScimOperation = (typeof SCIM_OPERATIONS)[number];

export const SCIM_ENDPOINTS = ['Users', 'Groups', 'ServiceProviderConfig', 'ResourceTypes', 'Schemas', ''] as const;
/** The empty text: the base, which can be searched. */
export type ScimEndpoint = (typeof SCIM_ENDPOINTS)[number];

/** A request of an identity provider, from any adapter. */
export type ScimRequest = {
  /** From `authenticateScim`. */
  readonly directoryId: string;
  readonly endpoint: ScimEndpoint;
  readonly operation: ScimOperation;
  /** Id of the resource, for operations that name one. */
  readonly id?: string | undefined;
  readonly query?: URLSearchParams | undefined;
  /** Header `If-Match`. */
  readonly ifMatch?: string | null | undefined;
  /** Parsed JSON. */
  readonly body?: unknown;
};

/** The response to an identity provider. */
export type ScimResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Becomes JSON of the type `application/scim+json`; null: the response has no body. */
  readonly body: Readonly<Record<string, unknown>> | null;
};

/** A directory that a request authenticated as. */
export type ScimCaller = {
  readonly scope: Scope;
  readonly directoryId: string;
  /** Each token has its own rate limit. */
  readonly tokenId: string;
};
