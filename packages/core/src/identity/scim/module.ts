// Builds provisioning by SCIM, and its functions of the library.

import type { ScopeDirectory } from '../../foundation/scope.ts';
import { gated } from '../../platform/plans/gated.ts';
import type { RequirePlan } from '../../platform/plans/plans.ts';
import type { AuthContext } from '../flow/context.ts';
import { parseBody } from '../flow/input.ts';
import { hashSecret, isSecret } from '../one-time/secrets.ts';
import { publicUrlMissing, unauthorizedFor } from '../shapes/errors.ts';
import { scimAdmin } from './admin.ts';
import type { ScimApi } from './api.ts';
import { scimDirectoryBody, scimDirectoryPatch, scimTokenBody } from './bodies.ts';
import type { ScimContext } from './context.ts';
import { scimHandler } from './handle.ts';
import type { Scim } from './scim.ts';

const GATE = 'scim';
/** The use of a token is noted once in so long. Chosen: one write in an hour costs nothing. */
const NOTE_USE_MS = 3_600_000;

/** Construction does no I/O. */
export const scimModule = (
  context: AuthContext,
  {
    scim,
    scopes,
    requirePlan,
    publicUrl,
    connections,
  }: {
    readonly scim: Scim;
    readonly scopes: Pick<ScopeDirectory, 'load'>;
    readonly requirePlan: RequirePlan;
    readonly publicUrl: string | null;
    readonly connections: ScimContext['connections'];
  },
): { readonly api: ScimApi } => {
  const base = publicUrl === null ? null : `${publicUrl.replace(/\/$/, '')}/api/v1/auth-service/scim/v2`;
  const scimContext: ScimContext = {
    ...{ context, scim, connections },
    baseUrl: () => {
      if (base === null) throw publicUrlMissing();
      return base;
    },
  };
  const admin = scimAdmin(scimContext, base);
  const handle = scimHandler(scimContext);
  const { createScimDirectory, updateScimDirectory, createScimToken } = admin;
  // Without the feature, what exists can still be read and deleted.
  const changes = { createScimDirectory, updateScimDirectory, createScimToken };
  const api: ScimApi = {
    ...admin,
    ...gated(requirePlan, GATE, changes, {
      createScimDirectory: (_, input) => parseBody(scimDirectoryBody, input),
      updateScimDirectory: (_, _id, input) => parseBody(scimDirectoryPatch, input),
      createScimToken: (_, input) => parseBody(scimTokenBody, input),
    }),
    authenticateScim: async (token) => {
      const row = isSecret('scim', token) ? await scim.tokenByHash(hashSecret(token)) : null;
      const now = context.clock.now();
      if (row === null || row.expiresAt <= now) throw unauthorizedFor('token_invalid');
      if (row.lastUsedAt === null || now.getTime() - row.lastUsedAt.getTime() >= NOTE_USE_MS) {
        await scim.noteUse(row, now);
      }
      const scopeOf = await scopes.load([row.scopeId]);
      return { scope: scopeOf(row.scopeId), directoryId: row.directoryId, tokenId: row.id };
    },
    handleScim: async (scope, request) => {
      await requirePlan(scope, GATE);
      return handle(scope, request);
    },
  };
  return { api };
};
