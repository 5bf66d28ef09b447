// SCIM directories and their tokens, as operators manage them.

import { nextTurn } from '../../foundation/contained.ts';
import { conflict, notFound, validationError } from '../../foundation/errors.ts';
import { stableJson } from '../../foundation/hash.ts';
import { idOf, listPage, timeRange } from '../../foundation/page.ts';
import { type Scope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import { parseBody } from '../flow/input.ts';
import { recordAction } from '../flow/record.ts';
import { hashSecret, newSecret } from '../one-time/secrets.ts';
import type { ScimDirectory, ScimToken } from './answers.generated.ts';
import type { ScimApi } from './api.ts';
import { scimDirectoryBody, scimDirectoryPatch, scimTokenBody } from './bodies.ts';
import type { ScimContext } from './context.ts';
import type { ScimDirectoryRow, ScimTokenRow } from './rows.ts';

const DAY_MS = 86_400_000;
/** Life of a token. Source: authentication design, Tokens. */
const TOKEN_LIFE_MS = 365 * DAY_MS;
/** Chosen: a token that is never renewed is rarely looked after. */
const MAX_TOKEN_LIFE_MS = 2 * TOKEN_LIFE_MS;
/** Live tokens of a directory. Source: authentication design, Administration. */
const MAX_TOKENS = 5;
/** Users and groups that one step of a deletion removes. */
const SLICE = 500;

const shownToken = ({ id, directoryId, last4, createdAt, expiresAt, lastUsedAt }: ScimTokenRow): ScimToken => ({
  ...{ id, directoryId, last4, createdAt, expiresAt, lastUsedAt },
});

export type ScimAdmin = Omit<ScimApi, 'authenticateScim' | 'handleScim'>;

/** `baseUrl`: null without `publicUrl`. */
export const scimAdmin = (
  { context, scim, connections }: Pick<ScimContext, 'context' | 'scim' | 'connections'>,
  baseUrl: string | null,
): ScimAdmin => {
  const { clock, ids } = context;
  const shown = ({ scopeId: _, ...row }: ScimDirectoryRow): ScimDirectory => ({ ...row, baseUrl });
  const record = (scope: Scope, actor: string, action: string, target: string): Promise<void> =>
    recordAction(context, scope, { actor, action, target, result: 'ok' });
  const missing = (scope: Scope) => notFound('SCIM directory with this id', scope);
  const requireDirectory = async (scope: Scope, id: string): Promise<ScimDirectoryRow> => {
    const row = await scim.directory(scope, id);
    if (row === null) throw missing(scope);
    return row;
  };
  const requireConnection = async (scope: Scope, id: string | null): Promise<void> => {
    if (id !== null && (await connections.byId(scope, id)) === null) {
      throw notFound('SSO connection with this id', scope);
    }
  };
  return {
    listScimDirectories: async (scope, query = {}) => {
      const range = timeRange(query);
      const { data, pagination } = await listPage(query, {
        binding: `auth/scim/directories/${scopeKey(scope)}/${stableJson(range)}`,
        read: (page) => scim.listDirectories(scope, range, page),
        count: () => scim.countDirectories(scope, range),
        positionOf: idOf,
      });
      return { data: data.map(shown), pagination };
    },
    getScimDirectory: async (scope, id) => shown(await requireDirectory(scope, id)),
    createScimDirectory: async (scope, input, { actor = 'system' } = {}) => {
      const { name, connectionId = null } = parseBody(scimDirectoryBody, input);
      await requireConnection(scope, connectionId);
      const now = clock.now();
      const row = { ...scopeOf(scope), id: ids.next(), name, connectionId, createdAt: now, updatedAt: now };
      await scim.insertDirectory(row);
      await record(scope, actor, 'scim_directory.create', row.id);
      return shown(row);
    },
    updateScimDirectory: async (scope, id, input, { actor = 'system' } = {}) => {
      const { name, connectionId } = parseBody(scimDirectoryPatch, input);
      await requireConnection(scope, connectionId ?? null);
      const row = await scim.changeDirectory(scope, id, {
        ...(name !== undefined && { name }),
        ...(connectionId !== undefined && { connectionId }),
        updatedAt: clock.now(),
      });
      if (row === null) throw missing(scope);
      await record(scope, actor, 'scim_directory.update', id);
      return shown(row);
    },
    deleteScimDirectory: async (scope, id, { actor = 'system' } = {}) => {
      await requireDirectory(scope, id);
      const directory = { scopeId: scope.scopeId, directoryId: id };
      // Without tokens nothing is added meanwhile. The directory goes last, so that a call that broke off can be repeated.
      await scim.removeTokensOf(directory);
      while (await scim.removeSomeOf(directory, SLICE)) await nextTurn();
      await scim.removeDirectory(scope, id);
      await record(scope, actor, 'scim_directory.delete', id);
      return { deleted: true };
    },
    listScimTokens: async (scope, query = {}) => {
      const filter = { directoryId: query.directoryId ?? null, ...timeRange(query) };
      const { data, pagination } = await listPage(query, {
        binding: `auth/scim/tokens/${scopeKey(scope)}/${stableJson(filter)}`,
        read: (page) => scim.listTokens(scope, filter, page),
        count: () => scim.countTokens(scope, filter),
        positionOf: idOf,
      });
      return { data: data.map(shownToken), pagination };
    },
    createScimToken: async (scope, input, { actor = 'system' } = {}) => {
      const { directoryId, expiresAt: requested } = parseBody(scimTokenBody, input);
      const now = clock.now();
      const expiresAt = requested === undefined ? new Date(now.getTime() + TOKEN_LIFE_MS) : new Date(requested);
      if (expiresAt <= now || expiresAt.getTime() > now.getTime() + MAX_TOKEN_LIFE_MS) {
        throw validationError({ expiresAt: ['must be in the future and at most two years ahead'] });
      }
      await requireDirectory(scope, directoryId);
      const existing = await scim.tokensOf({ scopeId: scope.scopeId, directoryId });
      if (existing.filter((token) => token.expiresAt > now).length >= MAX_TOKENS) {
        throw conflict('too_many', { max: MAX_TOKENS });
      }
      const token = newSecret('scim');
      const row: ScimTokenRow = {
        ...{ ...scopeOf(scope), id: ids.next(), directoryId, hash: hashSecret(token), last4: token.slice(-4) },
        ...{ createdAt: now, expiresAt, lastUsedAt: null },
      };
      await scim.insertToken(row);
      await record(scope, actor, 'scim_token.create', row.id);
      return { ...shownToken(row), token };
    },
    deleteScimToken: async (scope, id, { actor = 'system' } = {}) => {
      if ((await scim.removeToken(scope, id)) === null) throw notFound('SCIM token with this id', scope);
      await record(scope, actor, 'scim_token.delete', id);
      return { deleted: true };
    },
  };
};
