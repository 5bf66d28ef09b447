import { MAX_TRIES } from '../database/commit/write-set.ts';
import { insertBelow } from '../database/statements/capped.ts';
import { compact } from '../foundation/compact.ts';
import { DEFINITION_CAPS } from '../foundation/definition-caps.ts';
import { capReached, notFound, overloaded, validationError } from '../foundation/errors.ts';
import { type UrlRules, urlProblem } from '../foundation/net/urls.ts';
import { idOf, listPage } from '../foundation/page.ts';
import { type Scope, scopeKey, scopeOf } from '../foundation/scope.ts';
import { newSigningSecret } from '../foundation/signing-secret.ts';
import type { Platform } from '../platform/platform.ts';
// Webhook definitions of a scope and their secrets.
import type { Webhook } from './answers.generated.ts';
import type { WebhooksApi } from './api.ts';
import { parseRotation, parseWebhook, parseWebhookPatch } from './schema.ts';
import { openWebhook, sealWebhook, type WebhookSecrets } from './sealed.ts';
import { type WebhookChange, webhookStore } from './store.ts';
import type { WebhookRow, WebhookTables } from './tables.ts';

type WebhookPlatform = Pick<Platform<WebhookTables>, 'storage' | 'tables' | 'clock' | 'ids' | 'keyring'>;

export type DefinitionRules = {
  /** Rules for URLs that may be saved. */
  readonly urls: UrlRules;
  /** Called after the webhooks of a scope changed. Throws nothing. */
  onChange(scope: Scope): void;
};

type Definitions = Pick<WebhooksApi, 'create' | 'list' | 'get' | 'update' | 'delete' | 'rotateSecret'>;
type Changed = Partial<WebhookSecrets> & Omit<WebhookChange, 'sealed' | 'version' | 'updatedAt'>;

/** Create, list, update and delete webhooks. Documented at WebhooksApi. */
export const webhookDefinitions = (
  { storage, tables, clock, ids, keyring: secrets }: WebhookPlatform,
  { urls, onChange }: DefinitionRules,
): Definitions => {
  const store = webhookStore({ db: storage.db, tables });

  const view = ({ projectId }: Scope, row: WebhookRow, { headers }: WebhookSecrets): Webhook => {
    const { scopeId: _scope, sealed: _sealed, version: _version, ...shown } = row;
    return { ...shown, headers, projectId };
  };
  const shown = async (scope: Scope, row: WebhookRow): Promise<Webhook> =>
    view(scope, row, await openWebhook(secrets, scope, row));

  /** A pull webhook may have any URL, such as one on a developer's machine, because nothing is posted to it. */
  const checkUrl = (text: string, isPulled: boolean): string => {
    const url = URL.parse(text);
    const problem = url === null ? 'This is no URL.' : isPulled ? null : urlProblem(url, urls);
    if (problem !== null) throw validationError({ url: [problem] });
    return text;
  };

  const webhookRow = async (scope: Scope, id: string): Promise<WebhookRow> => {
    const row = await store.get(scope, id);
    if (!row) throw notFound('webhook with this id', scope);
    return row;
  };

  /** Applies a change to the current row, and retries after a conflict with a concurrent change. */
  const change = async (
    scope: Scope,
    id: string,
    changed: (row: WebhookRow, was: WebhookSecrets, now: Date) => Changed,
  ): Promise<{ readonly webhook: Webhook; readonly secrets: WebhookSecrets }> => {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const row = await webhookRow(scope, id);
      const was = await openWebhook(secrets, scope, row);
      const now = clock.now();
      const { secret = was.secret, previous = was.previous, headers = was.headers, ...values } = changed(row, was, now);
      const is = { secret, previous, headers };
      const sealed = await sealWebhook(secrets, scope, id, is);
      const version = row.version + 1;
      const next = await store.change(scope, id, row.version, { ...values, sealed, version, updatedAt: now });
      if (next === undefined) continue;
      onChange(scope);
      return { webhook: view(scope, next, is), secrets: is };
    }
    throw overloaded(1);
  };

  return {
    create: async (scope, body) => {
      const { url, description, headers, isActive = true, isPulled = false, events } = parseWebhook(body);
      checkUrl(url, isPulled);
      const id = ids.next();
      const now = clock.now();
      const sealing = { secret: newSigningSecret(), previous: null, headers: headers ?? {} };
      const row: WebhookRow = {
        ...scopeOf(scope),
        ...{ id, url, events, description: description ?? null, isActive, isPulled },
        sealed: await sealWebhook(secrets, scope, id, sealing),
        version: 1,
        disabledReason: null,
        failingSince: null,
        createdAt: now,
        updatedAt: now,
      };
      const isThere = await insertBelow(storage, {
        name: `webhooks/${scopeKey(scope)}`,
        max: DEFINITION_CAPS.webhooks.max,
        count: (db) => webhookStore({ db, tables }).count(scope),
        insert: (db) => webhookStore({ db, tables }).insert(row),
      });
      if (!isThere) throw capReached('url', DEFINITION_CAPS.webhooks);
      onChange(scope);
      return { ...view(scope, row, sealing), secret: sealing.secret };
    },
    list: (scope, query = {}) =>
      listPage(query, {
        binding: `webhooks/${scopeKey(scope)}`,
        read: async (place) => Promise.all((await store.page(scope, place)).map((row) => shown(scope, row))),
        count: () => store.count(scope),
        positionOf: idOf,
      }),
    get: async (scope, id) => shown(scope, await webhookRow(scope, id)),
    update: async (scope, id, body) => {
      const { url, events, description, headers, isActive } = parseWebhookPatch(body);
      const { webhook } = await change(scope, id, (row) => ({
        ...(url === undefined ? {} : { url: checkUrl(url, row.isPulled) }),
        ...compact({ events, description }),
        ...(headers === undefined ? {} : { headers: headers ?? {} }),
        ...compact({ isActive }),
        // A webhook that is enabled again starts without failures.
        ...(isActive === true ? { disabledReason: null, failingSince: null } : {}),
      }));
      return webhook;
    },
    delete: async (scope, id) => {
      const row = await store.remove(scope, id);
      if (!row) throw notFound('webhook with this id', scope);
      onChange(scope);
      return shown(scope, row);
    },
    rotateSecret: async (scope, id, body = {}) => {
      const { graceSeconds } = parseRotation(body);
      const rotated = await change(scope, id, (_, was, now) => ({
        secret: newSigningSecret(),
        previous: graceSeconds === 0 ? null : { secret: was.secret, untilMs: now.getTime() + graceSeconds * 1_000 },
      }));
      return { ...rotated.webhook, secret: rotated.secrets.secret };
    },
  };
};
