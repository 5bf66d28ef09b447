import { type BeckonError, conflict, notFound } from '../../foundation/errors.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { AuthContext } from '../flow/context.ts';
import { parseBody } from '../flow/input.ts';
import { planNotice, provenAddress } from '../flow/notice.ts';
import { requireAccount, requireEnabled } from '../flow/require.ts';
import { requireOtherMethod } from '../flow/sign-in-methods.ts';
import { registrationOptions, verifyRegistration } from '../passkeys/ceremony.ts';
import { MAX_PASSKEYS } from '../passkeys/options.ts';
import { referenceOf } from '../passkeys/passkeys.ts';
import type { PasskeyRow } from '../passkeys/rows.ts';
import type { Bearer } from '../shapes/bearer.ts';
import { unauthorizedFor } from '../shapes/errors.ts';
import type { Passkey, PasskeyDeleted, PasskeyRegistration } from './answers.generated.ts';
import type { PasskeyCheck } from './assertion.ts';
import { newPasskeyBody, passkeyPatch } from './bodies.ts';

const passkeyOf = ({ id, name, createdAt, lastUsedAt, isBackedUp, transports, aaguid }: PasskeyRow): Passkey => ({
  ...{ id, name, createdAt, lastUsedAt, backedUp: isBackedUp, transports, aaguid },
});

/** What signed-in users do with their passkeys, and what support staff sees. */
export const passkeyAdmin = (context: AuthContext, check: PasskeyCheck) => {
  const { accounts, audit, commit, oneTime, passkeys } = context;
  const find = async (scope: Scope, accountId: string, id: string): Promise<PasskeyRow> => {
    const row = (await passkeys.ofAccount(scope, accountId)).find((one) => one.id === id);
    if (!row) throw notFound('passkey with this id', scope);
    return row;
  };
  const requireSpace = (rows: readonly PasskeyRow[]): void => {
    if (rows.length >= MAX_PASSKEYS) throw conflict('too_many', { max: MAX_PASSKEYS });
  };
  return {
    list: async (scope: Scope, accountId: string): Promise<readonly Passkey[]> =>
      (await passkeys.ofAccount(scope, accountId)).map(passkeyOf),
    ofUser: async (scope: Scope, id: string): Promise<readonly Passkey[]> => {
      await requireAccount(context, scope, id);
      return (await passkeys.ofAccount(scope, id)).map(passkeyOf);
    },
    request: async (scope: Scope, { account }: Bearer): Promise<PasskeyRegistration> => {
      const party = check.partyOf(await context.settings.load(scope));
      return commit(scope, async (now) => {
        const rows = await passkeys.ofAccount(scope, account.id);
        requireSpace(rows);
        const stored = await passkeys.handleOf(scope, account.id);
        const made = stored ? null : passkeys.newHandle(scope, account.id);
        const name = account.email ?? account.userId;
        const { challenge, publicKey } = registrationOptions({
          ...{ party, now, credentials: rows.map(referenceOf) },
          // One of the two exists: `made` is null only if `stored` is not.
          user: { handle: stored ?? made?.handle ?? new Uint8Array(), name, displayName: account.name ?? name },
        });
        const challengeId = context.ids.next();
        const put = oneTime.putChallenge(scope, { id: challengeId, accountId: account.id, ...challenge }, now);
        return { change: { writes: [put, ...(made ? [made.write] : [])] }, result: { challengeId, publicKey } };
      });
    },
    add: async (scope: Scope, bearer: Bearer, body: unknown, client: ClientInfo): Promise<Passkey> => {
      const { challengeId, response, name } = parseBody(newPasskeyBody, body);
      const settings = await context.settings.load(scope);
      const party = check.partyOf(settings);
      type Outcome =
        | { readonly ok: true; readonly passkey: Passkey }
        | { readonly ok: false; readonly error: BeckonError };
      const added = await commit<Outcome>(scope, async (now) => {
        const account = await requireEnabled(context, scope, bearer.account);
        const used = await check.challenge(scope, { id: challengeId, accountId: account.id });
        const checked = await verifyRegistration({ party, challenge: used.challenge, response, now });
        const refuse = (error: BeckonError) => ({
          change: { writes: used.writes },
          result: { ok: false, error } as const,
        });
        if (!checked.ok) return refuse(unauthorizedFor('passkey_invalid'));
        if (await passkeys.byCredential(scope, checked.passkey.id)) return refuse(conflict('credential_exists'));
        requireSpace(await passkeys.ofAccount(scope, account.id));
        const { row, write } = passkeys.add(scope, { accountId: account.id, passkey: checked.passkey, name }, now);
        // The change of the account makes parallel registrations count each other.
        const changed = accounts.change(account, {}, now);
        const actor = `user:${account.id}`;
        const entry = { actor, action: 'passkey.add', target: account.id, result: 'ok', client };
        const about = { account, kind: 'passkey_added', to: provenAddress(account) } as const;
        const notice = await planNotice(context, scope, about, settings, now);
        return {
          change: {
            writes: [...used.writes, changed.write, write, audit.record(scope, entry, now), ...notice.writes],
            emails: notice.emails,
          },
          result: { ok: true, passkey: passkeyOf(row) },
        };
      });
      if (!added.ok) throw added.error;
      return added.passkey;
    },
    rename: async (scope: Scope, { account }: Bearer, id: string, body: unknown): Promise<Passkey> => {
      const { name } = parseBody(passkeyPatch, body);
      return commit(scope, async () => {
        const row = await find(scope, account.id, id);
        return { change: { writes: [passkeys.rename(row, name)] }, result: passkeyOf({ ...row, name }) };
      });
    },
    remove: async (scope: Scope, bearer: Bearer, id: string, client: ClientInfo): Promise<PasskeyDeleted> => {
      const { rpId } = check.partyOf(await context.settings.load(scope));
      return commit(scope, async (now) => {
        const account = await requireEnabled(context, scope, bearer.account);
        const row = await find(scope, account.id, id);
        await requireOtherMethod(context, scope, account);
        const changed = accounts.change(account, {}, now);
        const actor = `user:${account.id}`;
        const entry = { actor, action: 'passkey.remove', target: account.id, result: 'ok', client };
        return {
          change: { writes: [changed.write, passkeys.remove(row), audit.record(scope, entry, now)] },
          result: { rpId, credentialId: row.credentialId },
        };
      });
    },
  };
};
