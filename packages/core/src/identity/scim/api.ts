import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { ListQuery, Page } from '../../foundation/page.ts';
import type { Scope } from '../../foundation/scope.ts';
import type {
  NewScimToken,
  ScimDirectory,
  ScimDirectoryDeleted,
  ScimToken,
  ScimTokenDeleted,
} from './answers.generated.ts';
import type { scimDirectoryBody, scimDirectoryPatch, scimTokenBody } from './bodies.ts';
import type { ScimCaller, ScimRequest, ScimResponse } from './request.ts';

type Input<Schema extends z.ZodType> = Frozen<z.input<Schema>>;
type Actor = { readonly actor?: string | undefined };

export type ScimDirectoryInput = Input<typeof scimDirectoryBody>;
export type ScimDirectoryPatch = Input<typeof scimDirectoryPatch>;
export type ScimTokenInput = Input<typeof scimTokenBody>;

/** Which tokens to list. */
export type ScimTokenQuery = ListQuery & { readonly directoryId?: string | undefined };

/** Provisioning of users by SCIM 2.0. */
export type ScimApi = {
  /** Newest first. */
  listScimDirectories(scope: Scope, query?: ListQuery): Promise<Page<ScimDirectory>>;
  /** Throws NOT_FOUND. */
  getScimDirectory(scope: Scope, id: string): Promise<ScimDirectory>;
  /** Throws NOT_FOUND for an unknown connection, `tier_required`. */
  createScimDirectory(scope: Scope, input: ScimDirectoryInput, call?: Actor): Promise<ScimDirectory>;
  /** Throws NOT_FOUND, `tier_required`. */
  updateScimDirectory(scope: Scope, id: string, input: ScimDirectoryPatch, call?: Actor): Promise<ScimDirectory>;
  /** Ends its tokens and forgets its users and groups. The accounts stay as they are. Throws NOT_FOUND. */
  deleteScimDirectory(scope: Scope, id: string, call?: Actor): Promise<ScimDirectoryDeleted>;
  /** Newest first. */
  listScimTokens(scope: Scope, query?: ScimTokenQuery): Promise<Page<ScimToken>>;
  /** The only response with the token. Throws NOT_FOUND, CONFLICT `too_many`, `tier_required`. */
  createScimToken(scope: Scope, input: ScimTokenInput, call?: Actor): Promise<NewScimToken>;
  /** Throws NOT_FOUND. */
  deleteScimToken(scope: Scope, id: string, call?: Actor): Promise<ScimTokenDeleted>;

  /** The directory of a bearer token, without a cache. Throws UNAUTHORIZED `token_invalid`. */
  authenticateScim(token: string | null): Promise<ScimCaller>;
  /**
   * Answers a request of an identity provider. Errors of the protocol are responses. Throws `tier_required`,
   * PROVIDER_NOT_CONFIGURED without `publicUrl`, and errors of the database.
   */
  handleScim(scope: Scope, request: ScimRequest): Promise<ScimResponse>;
};
