import type { KeyObject } from 'node:crypto';
import type { Storage } from '../database/storage.ts';
import type { Scope, ScopeDirectory } from '../foundation/scope.ts';
import type { Keyring, SecretPlace } from '../platform/tenancy/keyring.ts';
import type { SealedValues } from '../platform/tenancy/rotation.ts';
import { sealedInScopes } from '../platform/tenancy/sealed-rows.ts';
import { signingKey } from './sign.ts';
import { webhookStore } from './store.ts';
import type { WebhookRow, WebhookTables } from './tables.ts';

/** The encrypted part of a webhook: signing secrets and custom headers. */
export type WebhookSecrets = {
  readonly secret: string;
  /** Also signs until then, in Unix milliseconds. */
  readonly previous: { readonly secret: string; readonly untilMs: number } | null;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
};

const placeOf = ({ orgId, projectId, environment }: Scope, id: string): SecretPlace => ({
  orgId,
  projectId,
  environment,
  table: 'webhooks',
  column: 'sealed',
  rowId: id,
});

export const sealWebhook = (keys: Pick<Keyring, 'seal'>, scope: Scope, id: string, secrets: WebhookSecrets) =>
  keys.seal(placeOf(scope, id), JSON.stringify(secrets));

/** Throws as the keyring does for a value that was not encrypted for this webhook. */
export const openWebhook = async (
  keys: Pick<Keyring, 'openText'>,
  scope: Scope,
  { id, sealed }: Pick<WebhookRow, 'id' | 'sealed'>,
): Promise<WebhookSecrets> => JSON.parse(await keys.openText(placeOf(scope, id), sealed));

/** The signing keys at a time, newest first. */
export type Signers = (now: Date) => readonly KeyObject[];

/** Throws TypeError for a malformed secret. */
export const signersOf = ({ secret, previous }: WebhookSecrets): Signers => {
  const newest = [signingKey(secret)];
  if (previous === null) return () => newest;
  const both = [...newest, signingKey(previous.secret)];
  return (now) => (previous.untilMs > now.getTime() ? both : newest);
};

/** The encrypted values of webhooks, for key rotation. Versions do not change, so decrypted caches stay valid. */
export const sealedWebhooks = ({
  storage,
  tables,
  scopes,
}: {
  readonly storage: Pick<Storage, 'db'>;
  readonly tables: WebhookTables;
  readonly scopes: ScopeDirectory;
}): SealedValues => {
  const store = webhookStore({ db: storage.db, tables });
  return sealedInScopes({
    scopes,
    count: store.countSealed,
    read: store.sealedOfAll,
    valuesOf: (row, scope) => [
      { place: placeOf(scope, row.id), sealed: row.sealed, replace: (next) => store.reseal(row, row.sealed, next) },
    ],
  });
};
