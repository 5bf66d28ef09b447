// Claims that a project adds to its access tokens: the stored template, and its claims for one session.

import { write } from '../../database/commit/write-set.ts';
import { fieldErrorsOf, notFound, validationError } from '../../foundation/errors.ts';
import { isObject } from '../../foundation/json.ts';
import { lru } from '../../foundation/lru.ts';
import { userPerson } from '../../foundation/person.ts';
import { type InScope, type Scope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import { readByScope, sharedCache } from '../../jobs/shared-cache.ts';
import type { Profiles } from '../../people/profiles/profiles.ts';
import { personKey } from '../../people/profiles/view.ts';
import { gated } from '../../platform/plans/gated.ts';
import type { Plans } from '../../platform/plans/plans.ts';
import type { Platform } from '../../platform/platform.ts';
import type { AccountRow } from '../accounts/account.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { Audit } from '../audit/audit.ts';
import { requireStorable } from '../auth-settings/stored-text.ts';
import type { CommitAuth } from '../commit/commit.ts';
import type { SessionRow } from '../sessions/session.ts';
import { userOf } from '../shapes/user.ts';
import {
  type ClaimSources,
  type ClaimsTemplate,
  parseClaimsTemplate,
  type RenderedClaims,
  renderClaims,
} from '../tokens/claims-template.ts';
import type { ClaimsTemplate as ClaimsTemplateAnswer } from './answers.generated.ts';
import type { ClaimsApi } from './api.ts';
import { claimsTemplateBody, previewClaimsBody } from './bodies.ts';
import { claimsStatements } from './statements.ts';
import type { ClaimsTables } from './tables.ts';

export type ClaimsPlatform = Platform<ClaimsTables>;

/** Wake topic: a claims template changed in some process. */
const CLAIMS_CHANGED = 'auth claims';
const GATE = 'jwtClaims';
/** Skips of one user are recorded once in so long by each process, since tokens are refreshed often. Chosen: one hour. */
const SKIP_MS = 3_600_000;
/** Chosen: a few megabytes at most. */
const MAX_SKIPS = 10_000;

type Stored = {
  readonly template: ClaimsTemplate;
  readonly updatedAt: Date;
  /** Whether the profile must be read. */
  readonly readsTraits: boolean;
  /** Whether the groups of a SCIM directory must be read. */
  readonly readsGroups: boolean;
};

export type Claims = {
  /**
   * The claims of the project's template for a token; none without a template, without the feature in the plan, or if they
   * cannot be rendered, which the audit log records. Throws errors of the database when the template is read.
   */
  of(scope: Scope, account: AccountRow, session: Pick<SessionRow, 'id'>): Promise<ClaimsTemplate>;
  readonly api: ClaimsApi;
  close(): void;
};

const readsOf = (template: ClaimsTemplate): Pick<Stored, 'readsTraits' | 'readsGroups'> => {
  const text = JSON.stringify(template);
  return { readsTraits: /\{\{\s*trait\./.test(text), readsGroups: /\{\{\s*scim\./.test(text) };
};

export const claimsEngine = (
  { storage, tables, clock, log }: ClaimsPlatform,
  {
    accounts,
    audit,
    commit,
    plans,
    profiles,
    groupsOf,
  }: {
    readonly accounts: Pick<Accounts, 'byId'>;
    readonly audit: Pick<Audit, 'record'>;
    readonly commit: CommitAuth;
    readonly plans: Pick<Plans, 'allows' | 'require'>;
    readonly profiles: Pick<Profiles, 'load'>;
    /** Names of the groups of an account in its SCIM directory. */
    readonly groupsOf: (scope: Scope, accountId: string) => Promise<readonly string[]>;
  },
): Claims => {
  const hot = claimsStatements(tables);
  const cache = sharedCache<InScope, Stored | null>({
    ...{ storage, clock, topic: CLAIMS_CHANGED, nameOf: scopeKey },
    read: readByScope(storage, hot.ofScope, ([row]) => (row ? { ...row, ...readsOf(row.template) } : null)),
  });
  const skips = lru<string, number>(MAX_SKIPS);

  const traitsOf = async (scope: Scope, userId: string): Promise<ClaimSources['trait']> => {
    const key = { ...scopeOf(scope), person: userPerson(userId) };
    return (await profiles.load([key], { tags: false })).get(personKey(key))?.traits ?? {};
  };

  const render = async (
    scope: Scope,
    stored: Pick<Stored, 'template' | 'readsTraits' | 'readsGroups'>,
    account: AccountRow | null,
    sessionId: string,
  ): Promise<RenderedClaims> => {
    const user: ClaimSources['user'] = account ? { ...userOf(account) } : {};
    let groups: readonly string[] = [];
    let trait: ClaimSources['trait'] = {};
    try {
      if (account !== null && stored.readsGroups) groups = await groupsOf(scope, account.id);
      if (account !== null && stored.readsTraits) trait = await traitsOf(scope, account.userId);
    } catch (error) {
      log.error({ error, accountId: account?.id }, 'a user could not be read for the claims of an access token');
      return renderClaims(stored.template, null);
    }
    return renderClaims(stored.template, { user, orgId: scope.orgId, sessionId, groups, trait });
  };

  const recordSkip = async (scope: Scope, accountId: string, reason: string): Promise<void> => {
    const name = `${scopeKey(scope)}/${accountId}/${reason}`;
    const nowMs = clock.now().getTime();
    if (nowMs - (skips.get(name) ?? Number.NEGATIVE_INFINITY) < SKIP_MS) return;
    skips.set(name, nowMs);
    const entry = { actor: 'system', action: 'claims.skip', target: accountId, result: reason };
    try {
      await commit(scope, async (now) => ({ change: { writes: [audit.record(scope, entry, now)] }, result: null }));
    } catch (error) {
      // The token is issued all the same.
      skips.delete(name);
      log.error({ error, accountId, reason }, 'skipped claims could not be recorded');
    }
  };

  const read = async ({ scopeId }: InScope) => (await storage.select(hot.ofScope, [[scopeId]]))[0] ?? null;
  // The template is read from the input itself: zod drops a member `__proto__`, which must be refused.
  const templateIn = (input: unknown): ClaimsTemplate => {
    const template = parseClaimsTemplate(isObject(input) ? input['template'] : undefined);
    requireStorable({ template });
    return template;
  };
  const parse = (input: unknown): ClaimsTemplate => {
    const parsed = claimsTemplateBody.safeParse(input);
    if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
    return templateIn(input);
  };
  const parsePreview = (input: unknown) => {
    const parsed = previewClaimsBody.safeParse(input === undefined ? {} : input);
    if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
    const { id, template } = parsed.data;
    return { id, template: template === undefined ? null : templateIn(input) };
  };
  const NONE: ClaimsTemplateAnswer = { template: null, updatedAt: null };

  const api: ClaimsApi = {
    getClaimsTemplate: async (scope) => {
      const row = await read(scope);
      return row ? { template: row.template, updatedAt: row.updatedAt } : NONE;
    },
    updateClaimsTemplate: async (scope, input, { actor = 'system' } = {}) => {
      const template = parse(input);
      const entry = { actor, action: 'claims.update', target: null, result: 'ok' };
      return cache.change(() =>
        commit(scope, async (now) => ({
          change: {
            writes: [
              write(hot.put, { ...scopeOf(scope), template, updatedAt: now }),
              audit.record(scope, { ...entry, detail: { claims: Object.keys(template) } }, now),
            ],
          },
          result: { template, updatedAt: now },
        })),
      );
    },
    deleteClaimsTemplate: (scope, { actor = 'system' } = {}) => {
      const entry = { actor, action: 'claims.delete', target: null, result: 'ok' };
      return cache.change(() =>
        commit(scope, async (now) => ({
          change: { writes: [write(hot.remove, scopeOf(scope)), audit.record(scope, entry, now)] },
          result: NONE,
        })),
      );
    },
    previewClaims: async (scope, input) => {
      const { id, template: draft } = parsePreview(input);
      const template = draft ?? (await read(scope))?.template ?? {};
      const account = id === undefined ? null : await accounts.byId(scope, id);
      if (id !== undefined && !account) throw notFound('user with this id', scope);
      const rendered = await render(scope, { template, ...readsOf(template) }, account, '');
      return rendered.outcome === 'rendered'
        ? { claims: rendered.claims, skipped: null }
        : { claims: null, skipped: rendered.reason };
    },
  };

  return {
    of: async (scope, account, session) => {
      const stored = await cache.get(scope);
      if (stored === null || !(await plans.allows(scope.orgId, GATE))) return {};
      const rendered = await render(scope, stored, account, session.id);
      if (rendered.outcome === 'rendered') return rendered.claims;
      await recordSkip(scope, account.id, rendered.reason);
      return {};
    },
    api: gated(plans.require, GATE, api, {
      updateClaimsTemplate: (_, input) => parse(input),
      previewClaims: (_, input) => parsePreview(input),
    }),
    close: cache.close,
  };
};
