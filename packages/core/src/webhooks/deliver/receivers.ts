import { LRUCache } from 'lru-cache';
import type { InScope, ScopeDirectory } from '../../primitives/scope.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Keyring } from '../../tenancy/keyring.ts';
import type { WebhookHot } from '../hot.ts';
import { openWebhook, type WebhookSecrets } from '../sealed.ts';
import type { WebhookRow } from '../tables.ts';

/** Webhooks whose secrets one process holds open; ours. */
const MAX_OPEN = 1_000;

/** Who a delivery goes to, as it is at this moment. */
export type Receiver = Pick<WebhookRow, 'scopeId' | 'id' | 'url' | 'isActive' | 'failingSince'> & {
  readonly secrets: WebhookSecrets;
};

/** Reads a webhook before it is told something: it may have been deleted or switched off since. */
export const receivers = ({
  storage,
  hot,
  secrets,
  scopes,
}: {
  readonly storage: Pick<Storage, 'select'>;
  readonly hot: Pick<WebhookHot, 'receivers'>;
  readonly secrets: Pick<Keyring, 'openText'>;
  readonly scopes: ScopeDirectory;
}) => {
  const opened = new LRUCache<string, { readonly version: number; readonly secrets: WebhookSecrets }>({
    max: MAX_OPEN,
  });

  /** Null: there is none any more. Throws what the database and the keyring throw. */
  return async ({ scopeId }: InScope, id: string): Promise<Receiver | null> => {
    const [row] = await storage.select(hot.receivers, [[scopeId, id]]);
    if (!row) return null;
    const { url, isActive, failingSince, version } = row;
    const known = opened.get(id);
    const isKnown = known?.version === version;
    const scopeAt = isKnown ? null : await scopes.load([scopeId]);
    const open = scopeAt ? await openWebhook(secrets, scopeAt(scopeId), row) : known?.secrets;
    if (!open) return null;
    if (!isKnown) opened.set(id, { version, secrets: open });
    return { scopeId, id, url, isActive, failingSince, secrets: open };
  };
};

export type LoadReceiver = ReturnType<typeof receivers>;
