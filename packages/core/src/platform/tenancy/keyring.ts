// Who holds which key. The operator's master keys wrap one data key per org and one for the deployment itself; values
// are sealed by their org's data key. Data keys are made on first use. Their first name is fixed, so that of two
// processes that make one at the same moment the second fails on the primary key and takes what the first one wrote.

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

/** The org of the deployment's own secrets; no org has this id. */
export const DEPLOYMENT = '-';
const FIRST_KID = 'k1';
/** Orgs whose data keys are held in memory; ours: 10,000 times 32 bytes. One more is one more read. */
const MAX_ORGS = 10_000;

/** The place of a sealed value; `orgId` is DEPLOYMENT where it belongs to no org. No part may hold `|`. */
export type SecretPlace = SecretContext & { readonly orgId: string };

export type Keyring = {
  /** Seals a value for its place, with the org's data key, which it makes where there is none. */
  seal(place: SecretPlace, plaintext: Uint8Array | string): Promise<string>;
  /** Opens what was sealed for this very place. Throws UnreadableSecret for anything else, WrongMasterKey. */
  open(place: SecretPlace, sealed: string): Promise<Uint8Array>;
  /** `open` for a value that was sealed as text. */
  openText(place: SecretPlace, sealed: string): Promise<string>;
  /**
   * Keys of the deployment for one purpose, one per data key that it has by now: the first signs, any of them verifies.
   * The same in every process and after every change of the master key.
   */
  derived(purpose: string): Promise<DerivedKeys>;
  /** The steps of a rotation. Each may be done again, and stopped anywhere. */
  readonly rotation: KeyRotation;
};

export type KeyRotation = {
  /** Data keys that another master key than the first wraps. */
  left(): Promise<number>;
  /** Orgs that have such a data key, in order, behind one of them. */
  orgsLeft(after: string, limit: number): Promise<readonly string[]>;
  /**
   * Gives an org a new data key and wraps those that it has with the first master key; answers how many those were.
   * They stay, so that whatever they still seal opens. The deployment gets no new one: what is derived from it is in the
   * hands of people. Throws WrongMasterKey.
   */
  rewrap(orgId: string): Promise<number>;
  /** The same value sealed with the newest data key of its org; null: it is already. Throws as `open`. */
  reseal(place: SecretPlace, sealed: string): Promise<string | null>;
};

/** The data keys of an org; the newest seals, all of them open. */
type OrgKeys = {
  readonly newest: readonly [kid: string, key: Uint8Array];
  readonly byKid: ReadonlyMap<string, Uint8Array>;
};

const boundTo = (orgId: string, kid: string): string => `${orgId}|${kid}`;

/** Proves that master keys fit data keys of the deployment. Throws WrongMasterKey. */
export const requireOpens = (
  masterKeys: readonly Uint8Array[],
  rows: readonly { readonly kid: string; readonly wrapped: string }[],
): void => {
  for (const { kid, wrapped } of rows)
    if (!unwrapDataKey(masterKeys, wrapped, boundTo(DEPLOYMENT, kid))) throw new WrongMasterKey();
};

/**
 * The keyring of a database. It proves at once that a master key fits, on the deployment's own data key, which it
 * makes on the first start.
 *
 * @param masterKeys 32 bytes each; the first wraps new data keys, any of them unwraps
 * @throws WrongMasterKey when none of them unwraps the deployment's data key, and what the database throws
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
    const made = { newest, byKid: new Map(keys) };
    held.set(orgId, made);
    return made;
  };
  const make = async (orgId: string): Promise<OrgKeys> => {
    const wrapped = wrapDataKey(masterKeys[0], newDataKey(), boundTo(orgId, FIRST_KID));
    await store.addUnlessThere({ orgId, kid: FIRST_KID, wrapped, createdAt: clock.now() });
    const made = await read(orgId);
    if (!made) throw new Error('A data key that was just written cannot be read.');
    return made;
  };
  const sealing = async (orgId: string): Promise<OrgKeys> => held.get(orgId) ?? (await read(orgId)) ?? make(orgId);
  const openWith = (keys: OrgKeys | undefined, place: SecretPlace, sealed: string): Uint8Array =>
    open((kid) => keys?.byKid.get(kid), sealed, place);

  const opened = async (place: SecretPlace, sealed: string): Promise<Uint8Array> => {
    const known = held.get(place.orgId);
    if (!known) return openWith(await read(place.orgId), place, sealed);
    try {
      return openWith(known, place, sealed);
    } catch (error) {
      // Another process may have made a newer data key since this org's keys were read.
      if (!(error instanceof UnreadableSecret && error.reason === 'unknown_key')) throw error;
      return openWith(await read(place.orgId), place, sealed);
    }
  };

  const first = masterKeyId(masterKeys[0]);
  const rewrap = async (orgId: string): Promise<number> => {
    const rows = await store.ofOrg(orgId);
    // Before anything is written: a key that does not open would be left behind a new one that does.
    const { byKid } = (await read(orgId)) ?? { byKid: new Map<string, Uint8Array>() };
    const newest = rows.at(-1);
    // The new one comes before the others are wrapped anew: an org whose newest is of this master key has had it.
    if (newest && orgId !== DEPLOYMENT && keyNameOf(newest.wrapped) !== first) {
      const kid = `k${rows.length + 1}`;
      const wrapped = wrapDataKey(masterKeys[0], newDataKey(), boundTo(orgId, kid));
      // Behind the others even where the clock went back: the newest is the one that seals.
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

  await sealing(DEPLOYMENT);
  return {
    seal: async (place, plaintext) => {
      const [kid, key] = (await sealing(place.orgId)).newest;
      return seal(key, kid, plaintext, place);
    },
    open: opened,
    openText: async (place, sealed) => Buffer.from(await opened(place, sealed)).toString(),
    derived: async (purpose) => {
      const { newest, byKid } = await sealing(DEPLOYMENT);
      const older = [...byKid].filter(([kid]) => kid !== newest[0]);
      return [deriveKey(newest[1], purpose), ...older.map(([, key]) => deriveKey(key, purpose))];
    },
    rotation: {
      left: () => store.countOthers(first),
      orgsLeft: (after, limit) => store.orgsOfOthers(first, after, limit),
      rewrap,
      reseal: async (place, sealed) => {
        const value = await opened(place, sealed);
        const [kid, key] = (await sealing(place.orgId)).newest;
        return keyNameOf(sealed) === kid ? null : seal(key, kid, value, place);
      },
    },
  };
};
