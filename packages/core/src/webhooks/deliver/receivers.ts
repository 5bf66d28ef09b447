import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { lru } from '../../foundation/lru.ts';
import { type InScope, type ScopeDirectory, scopeKey } from '../../foundation/scope.ts';
import { batcher, type Settled } from '../../jobs/concurrency/batcher.ts';
import { sharedCache } from '../../jobs/shared-cache.ts';
import type { Keyring } from '../../platform/tenancy/keyring.ts';
import { openWebhook, type Signers, signersOf, type WebhookSecrets } from '../sealed.ts';
import type { WebhookStatements } from '../statements.ts';
import type { WebhookRow } from '../tables.ts';

/** Webhooks whose decrypted secrets are cached per process. Chosen. */
const MAX_OPEN = 1_000;
/**
 * Cache age of a webhook, in milliseconds; a change by another process is visible after it. Chosen: no longer than a
 * request takes, and long enough for most of a burst to one webhook.
 */
const MAX_AGE_MS = 10;

/** Decrypted headers and signing keys of a webhook. */
type Opened = Pick<WebhookSecrets, 'headers'> & { readonly signers: Signers };

/** Current state of the webhook that a delivery goes to. */
export type Receiver = Pick<WebhookRow, 'scopeId' | 'id' | 'url' | 'isActive' | 'failingSince'> & {
  readonly opened: Opened;
};

type WebhookKey = Pick<WebhookRow, 'scopeId' | 'id'>;
type Row = WebhookKey & Pick<WebhookRow, 'url' | 'isActive' | 'sealed' | 'version' | 'failingSince'>;

const nameOf = (key: WebhookKey): string => `${scopeKey(key)}/${key.id}`;

export type Receivers = {
  /** Null if the webhook was deleted. Throws what the database and the keyring throw. */
  load(scope: InScope, id: string): Promise<Receiver | null>;
  /** Drops the cache. Call it after a webhook changed. Throws nothing. */
  forget(): void;
};

/** Loads a webhook before a delivery, since it may have been deleted or disabled after the claim. */
export const receivers = ({
  storage,
  hot,
  secrets,
  scopes,
  clock,
}: {
  readonly storage: Pick<Storage, 'select' | 'outsideTransaction' | 'wake'>;
  readonly hot: Pick<WebhookStatements, 'receivers'>;
  readonly secrets: Pick<Keyring, 'openText'>;
  readonly scopes: ScopeDirectory;
  readonly clock: Clock;
}): Receivers => {
  const known = lru<string, { readonly version: number; readonly opened: Opened }>(MAX_OPEN);

  const openedOf = async (row: Row): Promise<Opened> => {
    const scope = (await scopes.load([row.scopeId]))(row.scopeId);
    const sealed = await openWebhook(secrets, scope, row);
    return { headers: sealed.headers, signers: signersOf(sealed) };
  };

  const receiverOf = async (row: Row): Promise<Receiver> => {
    const { scopeId, id, url, isActive, failingSince, version } = row;
    const was = known.get(id);
    const opened = was?.version === version ? was.opened : await openedOf(row);
    if (opened !== was?.opened) known.set(id, { version, opened });
    return { scopeId, id, url, isActive, failingSince, opened };
  };

  /** A webhook whose secrets cannot be decrypted does not fail the others of its batch. */
  const settledOf = async (row: Row | undefined): Promise<Settled<Receiver | null>> => {
    try {
      return { ok: true, value: row ? await receiverOf(row) : null };
    } catch (error) {
      return { ok: false, error };
    }
  };

  // Requests to many webhooks end in one turn of the event loop, so their next loads share a query.
  const { submit } = batcher<WebhookKey, Receiver | null>({
    flush: async (keys) => {
      const rows = await storage.select(
        hot.receivers,
        keys.map(({ scopeId, id }) => [scopeId, id]),
      );
      const byName = new Map(rows.map((row) => [nameOf(row), row]));
      return Promise.all(keys.map((key) => settledOf(byName.get(nameOf(key)))));
    },
  });

  const looks = sharedCache<WebhookKey, Receiver | null>({
    storage,
    clock,
    topic: null,
    nameOf,
    read: async (keys) => {
      const found = await Promise.all(keys.map(async (key) => [nameOf(key), await submit(key)] as const));
      const byName = new Map(found);
      return (key) => byName.get(nameOf(key)) ?? null;
    },
    maxAgeMs: MAX_AGE_MS,
    maxEntries: MAX_OPEN,
  });
  return { load: ({ scopeId }, id) => looks.get({ scopeId, id }), forget: looks.clear };
};
