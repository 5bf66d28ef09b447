import { lru } from '../../primitives/lru.ts';
import { type InScope, type ScopeDirectory, scopeKey } from '../../primitives/scope.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Keyring } from '../../tenancy/keyring.ts';
import { answeringBatcher, type Settled } from '../../work/concurrency/batcher.ts';
import type { WebhookHot } from '../hot.ts';
import { openWebhook, type WebhookSecrets } from '../sealed.ts';
import type { WebhookRow } from '../tables.ts';

/** Webhooks whose secrets one process holds open; ours. */
const MAX_OPEN = 1_000;

/** Who a delivery goes to, as it is at this moment. */
export type Receiver = Pick<WebhookRow, 'scopeId' | 'id' | 'url' | 'isActive' | 'failingSince'> & {
  readonly secrets: WebhookSecrets;
};

type WebhookKey = Pick<WebhookRow, 'scopeId' | 'id'>;
type Row = WebhookKey & Pick<WebhookRow, 'url' | 'isActive' | 'sealed' | 'version' | 'failingSince'>;

const nameOf = (key: WebhookKey): string => `${scopeKey(key)}/${key.id}`;

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
  const opened = lru<string, { readonly version: number; readonly secrets: WebhookSecrets }>(MAX_OPEN);

  const receiverOf = async (row: Row): Promise<Receiver | null> => {
    const { scopeId, id, url, isActive, failingSince, version } = row;
    const known = opened.get(id);
    const isKnown = known?.version === version;
    const scopeAt = isKnown ? null : await scopes.load([scopeId]);
    const open = scopeAt ? await openWebhook(secrets, scopeAt(scopeId), row) : known?.secrets;
    if (!open) return null;
    if (!isKnown) opened.set(id, { version, secrets: open });
    return { scopeId, id, url, isActive, failingSince, secrets: open };
  };

  /** A webhook whose secrets cannot be read says nothing of the others. */
  const settledOf = async (row: Row | undefined): Promise<Settled<Receiver | null>> => {
    try {
      return { ok: true, value: row ? await receiverOf(row) : null };
    } catch (error) {
      return { ok: false, error };
    }
  };

  // Calls to many webhooks end in one turn of the event loop, and each makes room for the next.
  const { submit } = answeringBatcher<WebhookKey, Receiver | null>({
    flush: async (keys) => {
      const rows = await storage.select(
        hot.receivers,
        keys.map(({ scopeId, id }) => [scopeId, id]),
      );
      const byName = new Map(rows.map((row) => [nameOf(row), row]));
      return Promise.all(keys.map((key) => settledOf(byName.get(nameOf(key)))));
    },
  });

  /** Null: there is none any more. Throws what the database and the keyring throw. */
  return ({ scopeId }: InScope, id: string): Promise<Receiver | null> => submit({ scopeId, id });
};

export type LoadReceiver = ReturnType<typeof receivers>;
