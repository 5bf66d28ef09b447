// Manages keys. The operator's master keys wrap one data key per organization and one for the deployment; values are
// sealed by their organization's data key. Data keys are created on first use. The first one has a fixed name, so that
// if two processes create it concurrently, the second fails on the primary key and uses the first one's.

import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { lru } from '../../foundation/lru.ts';
import {
  type DerivedKeys,
  deriveKey,
  keyNameOf,
  masterKeyId,
  newDataKey,
  open,
  type SecretContext,
  seal,
  UnreadableSecret,
  unwrapDataKey,
  wrapDataKey,
} from '../../foundation/secrets.ts';
import { dataKeyStore } from './store.ts';
import type { TenancyTables } from './tables.ts';
import { WrongMasterKey } from './wrong-master-key.ts';

/** The organization id of the deployment's own secrets; no organization has it. */
export const DEPLOYMENT = '-';
const FIRST_KID = 'k1';
/** Organizations whose data keys are cached. Chosen: 10,000 times 32 bytes; a miss costs one read. */
const MAX_ORGS = 10_000;

/**
 * The row and column of a sealed value; `orgId` is DEPLOYMENT if it belongs to no organization. No part may contain
 * `|`.
 */
export type SecretPlace = SecretContext & { readonly orgId: string };

export type Keyring = {
  /** Seals a value for its row and column, with the organization's data key, which it creates if needed. */
  seal(place: SecretPlace, plaintext: Uint8Array | string): Promise<string>;
  /** Opens a value sealed for this row and column. Throws UnreadableSecret for anything else, WrongMasterKey. */
  open(place: SecretPlace, sealed: string): Promise<Uint8Array>;
  /** `open` for a value that was sealed as text. */
  openText(place: SecretPlace, sealed: string): Promise<string>;
  /**
   * Keys of the deployment for one purpose, one per data key of the deployment: the first signs, all verify. Equal in
   * every process and after every change of the master key.
   */
  derived(purpose: string): Promise<DerivedKeys>;
  /** The steps of a rotation. Each may be repeated and stopped anywhere. */
  readonly rotation: KeyRotation;
};

export type KeyRotation = {
  /** Number of data keys not wrapped by the first master key. */
  left(): Promise<number>;
  /** Organizations with such a data key, in order, after one of them. */
  orgsLeft(after: string, limit: number): Promise<readonly string[]>;
  /**
   * Creates a new data key for an organization and wraps its existing ones with the first master key; returns how many
   * those were. They stay, so that values sealed with them can be opened. The deployment gets no new one, because users
   * hold what was derived from it. Throws WrongMasterKey.
   */
  rewrap(orgId: string): Promise<number>;
  /** The value sealed with the newest data key of its organization; null if it is already. Throws as `open`. */
  reseal(place: SecretPlace, sealed: string): Promise<string | null>;
};

/** The data keys of an organization; the newest seals, all of them open. */
type OrgKeys = {
  readonly newest: readonly [kid: string, key: Uint8Array];
  readonly byKid: ReadonlyMap<string, Uint8Array>;
};

const boundTo = (orgId: string, kid: string): string => `${orgId}|${kid}`;

/** Checks that the master keys open data keys of the deployment. Throws WrongMasterKey. */
export const requireOpens = (
  masterKeys: readonly Uint8Array[],
  rows: readonly { readonly kid: string; readonly wrapped: string }[],
): void => {
  for (const { kid, wrapped } of rows)
    if (!unwrapDataKey(masterKeys, wrapped, boundTo(DEPLOYMENT, kid))) throw new WrongMasterKey();
};

/**
 * The keyring of a database. It checks at once that a master key opens the deployment's data key, which it creates on
 * the first start.
 *
 * @param masterKeys 32 bytes each; the first wraps new data keys, any of them unwraps
 * @throws WrongMasterKey if none of them unwraps the deployment's data key, and errors of the database
 */
export const openKeyring = async ({
  storage,
  tables,
  clock,
  masterKeys,
}: {
  readonly storage: Pick<Storage, 'db'>;
  readonly tables: TenancyTables;
  readonly clock: Clock;
  readonly masterKeys: readonly [Uint8Array, ...Uint8Array[]];
}): Promise<Keyring> => {
  const store = dataKeyStore({ db: storage.db, tables });
  const held = lru<string, OrgKeys>(MAX_ORGS);

  const read = async (orgId: string): Promise<OrgKeys | undefined> => {
    const rows = await store.ofOrg(orgId);
    const keys = rows.map(({ kid, wrapped }) => {
      const key = unwrapDataKey(masterKeys, wrapped, boundTo(orgId, kid));
      if (!key) throw new WrongMasterKey();
      return [kid, key] as const;
    });
    const newest = keys.at(-1);
    if (!newest) return undefined;
    const orgKeys = { newest, byKid: new Map(keys) };
    held.set(orgId, orgKeys);
    return orgKeys;
  };
  const createKeys = async (orgId: string): Promise<OrgKeys> => {
    const wrapped = wrapDataKey(masterKeys[0], newDataKey(), boundTo(orgId, FIRST_KID));
    await store.addUnlessThere({ orgId, kid: FIRST_KID, wrapped, createdAt: clock.now() });
    const orgKeys = await read(orgId);
    if (!orgKeys) throw new Error('A data key that was just written cannot be read.');
    return orgKeys;
  };
  const sealingKeys = async (orgId: string): Promise<OrgKeys> =>
    held.get(orgId) ?? (await read(orgId)) ?? createKeys(orgId);
  const openWith = (keys: OrgKeys | undefined, place: SecretPlace, sealed: string): Uint8Array =>
    open((kid) => keys?.byKid.get(kid), sealed, place);

  const openValue = async (place: SecretPlace, sealed: string): Promise<Uint8Array> => {
    const heldKeys = held.get(place.orgId);
    if (!heldKeys) return openWith(await read(place.orgId), place, sealed);
    try {
      return openWith(heldKeys, place, sealed);
    } catch (error) {
      // Another process may have created a newer data key since this organization's keys were read.
      if (!(error instanceof UnreadableSecret && error.reason === 'unknown_key')) throw error;
      return openWith(await read(place.orgId), place, sealed);
    }
  };

  const first = masterKeyId(masterKeys[0]);
  const rewrap = async (orgId: string): Promise<number> => {
    const rows = await store.ofOrg(orgId);
    // Checked before anything is written: otherwise a key that does not open would stay behind a new one that does.
    const { byKid } = (await read(orgId)) ?? { byKid: new Map<string, Uint8Array>() };
    const newest = rows.at(-1);
    // The new key is created before the others are wrapped again: if the newest is wrapped by this master key, that has
    // been done.
    if (newest && orgId !== DEPLOYMENT && keyNameOf(newest.wrapped) !== first) {
      const kid = `k${rows.length + 1}`;
      const wrapped = wrapDataKey(masterKeys[0], newDataKey(), boundTo(orgId, kid));
      // After the others even if the clock went back: the newest key seals.
      const createdAt = new Date(Math.max(clock.now().getTime(), newest.createdAt.getTime() + 1));
      await store.addUnlessThere({ orgId, kid, wrapped, createdAt });
    }
    const old = rows.filter(({ wrapped }) => keyNameOf(wrapped) !== first);
    for (const { kid, wrapped } of old) {
      const key = byKid.get(kid);
      if (key) await store.rewrap({ orgId, kid }, wrapped, wrapDataKey(masterKeys[0], key, boundTo(orgId, kid)));
    }
    await read(orgId);
    return old.length;
  };

  await sealingKeys(DEPLOYMENT);
  return {
    seal: async (place, plaintext) => {
      const [kid, key] = (await sealingKeys(place.orgId)).newest;
      return seal(key, kid, plaintext, place);
    },
    open: openValue,
    openText: async (place, sealed) => Buffer.from(await openValue(place, sealed)).toString(),
    derived: async (purpose) => {
      const { newest, byKid } = await sealingKeys(DEPLOYMENT);
      const older = [...byKid].filter(([kid]) => kid !== newest[0]);
      return [deriveKey(newest[1], purpose), ...older.map(([, key]) => deriveKey(key, purpose))];
    },
    rotation: {
      left: () => store.countOthers(first),
      orgsLeft: (after, limit) => store.orgsOfOthers(first, after, limit),
      rewrap,
      reseal: async (place, sealed) => {
        const value = await openValue(place, sealed);
        const [kid, key] = (await sealingKeys(place.orgId)).newest;
        return keyNameOf(sealed) === kid ? null : seal(key, kid, value, place);
      },
    },
  };
};
