import { ApiError } from '../errors.ts';
import type { TokenSet } from '../generated/wire.ts';
import type { Globals } from '../globals.ts';
import type { Slots } from '../slots.ts';
import { bytesOf } from './encoding.ts';
import { makeLock } from './lock.ts';
import type { AuthChange } from './shapes.ts';

// The session of a site's tabs. The storage is the only copy: every decision reads it again. A tab refreshes under a lock,
// and looks at the storage before and after, because another tab may have refreshed or signed out in between. Only three
// reasons of the service end a session; a lost connection never does.

/** Refresh this long before the access token expires. Chosen: longer than a slow request. */
const AHEAD_MS = 60_000;
const SECOND_MS = 1_000;
/** Looks at the storage after a refresh that another tab won. Chosen: within the service's grace of 10 s. */
const MAX_LOOKS = 4;
const ENDS = /^(refresh_invalid|session_expired|refresh_reused)$/;
const SESSION = 'session';
const DEVICE = 'device';

type Stored = { readonly tokens: TokenSet; readonly atMs: number };
export type PublicSend = (path: string, body: unknown) => Promise<unknown>;

/** Life of an access token, by its own claims: both times come from the service's clock, never from this device's. */
const lifeMs = ({ accessToken, expiresIn }: TokenSet): number => {
  try {
    const { iat, exp } = JSON.parse(new TextDecoder().decode(bytesOf(accessToken.split('.')[1] ?? '')));
    return (exp - iat) * SECOND_MS || expiresIn * SECOND_MS;
  } catch {
    return expiresIn * SECOND_MS;
  }
};

export const makeSession = (
  g: Globals,
  { name, slots, post }: { readonly name: string; readonly slots: Slots; readonly post: PublicSend },
) => {
  const { locked, wait } = makeLock(g, name, slots);
  const listeners = new Set<(change: AuthChange) => void>();
  let seen = { token: '', ageMs: 0, atMs: 0 };
  let running: Promise<TokenSet | null> | undefined;

  const read = (): Stored | null => {
    try {
      // Safe: only `write` writes it.
      const stored = JSON.parse(slots.get(SESSION) ?? 'null') as Stored | null;
      return stored?.tokens.refreshToken ? stored : null;
    } catch {
      return null;
    }
  };
  let lastId = read()?.tokens.sessionId;

  /** Reports what changed since the last report. */
  const notify = (isOwn: boolean, reason?: string): void => {
    const stored = read();
    // Notes the token's age, so that a later change of the clock is noticed.
    if (stored) leftMs(stored);
    const session = stored?.tokens ?? null;
    const id = session?.sessionId;
    if (!id && !lastId) return;
    const type = !id ? 'signed_out' : id === lastId ? 'refreshed' : 'signed_in';
    lastId = id;
    for (const listener of [...listeners]) listener({ type, session, reason, isOwn });
  };
  const write = (tokens: TokenSet): TokenSet => {
    // Without a new device token the earlier one is valid.
    if (tokens.deviceToken) slots.set(DEVICE, tokens.deviceToken);
    slots.set(SESSION, JSON.stringify({ tokens, atMs: g.Date.now() } satisfies Stored));
    notify(true);
    return tokens;
  };
  const drop = (reason?: string): null => {
    slots.delete(SESSION);
    notify(true, reason);
    return null;
  };

  /**
   * Time that the access token has left. The wall clock counts from the receipt, which was the token's `iat` for the
   * service. A clock that was set back is noticed by the page's monotonic clock.
   */
  const leftMs = ({ tokens, atMs }: Stored): number => {
    const wallMs = g.Date.now() - atMs;
    const uptimeMs = g.performance.now();
    if (seen.token !== tokens.accessToken)
      seen = { token: tokens.accessToken, ageMs: Math.max(wallMs, 0), atMs: uptimeMs };
    return lifeMs(tokens) - Math.max(wallMs, seen.ageMs + uptimeMs - seen.atMs);
  };
  const isDue = (stored: Stored): boolean =>
    stored.atMs > g.Date.now() || leftMs(stored) < Math.min(AHEAD_MS, lifeMs(stored.tokens) / 2);

  const renew = async (old: string): Promise<TokenSet | null> => {
    for (let looks = 1; ; looks++) {
      const stored = read();
      if (!stored) return null;
      const sent = stored.tokens.refreshToken;
      if (sent !== old && !isDue(stored)) return stored.tokens;
      const isCurrent = (): boolean => read()?.tokens.refreshToken === sent;
      try {
        const deviceToken = slots.get(DEVICE) ?? undefined;
        // Safe: the response of this route, as the API describes it.
        const tokens = (await post('/token/refresh', { refreshToken: sent, deviceToken })) as TokenSet;
        // Another tab may have signed out, or signed in, since.
        return isCurrent() ? write(tokens) : (read()?.tokens ?? null);
      } catch (thrown) {
        // Safe: `post` throws nothing else.
        const { status, details } = thrown as ApiError;
        const reason = String(details['reason']);
        const isConflict = reason === 'refresh_in_progress';
        if (looks < MAX_LOOKS && (isConflict || !isCurrent())) {
          if (isConflict && isCurrent()) await wait(SECOND_MS);
          continue;
        }
        if (status === 401 && ENDS.test(reason) && isCurrent()) return drop(reason);
        throw thrown;
      }
    }
  };
  const refresh = (old: string): Promise<TokenSet | null> => {
    running ??= locked(() => renew(old)).finally(() => {
      running = undefined;
    });
    return running;
  };

  return {
    current: (): TokenSet | null => read()?.tokens ?? null,
    deviceToken: (): string | undefined => slots.get(DEVICE) ?? undefined,
    write,
    drop,
    /** Replaces the user of the session, unless the session has changed. */
    update: (user: TokenSet['user']): void => {
      const stored = read();
      if (stored?.tokens.user.id !== user.id) return;
      slots.set(SESSION, JSON.stringify({ ...stored, tokens: { ...stored.tokens, user } }));
      notify(true);
    },
    /** Refreshes now, unless another tab has replaced this refresh token. */
    refresh,
    getAccessToken: async (): Promise<string | null> => {
      const stored = read();
      if (!stored || !isDue(stored)) return stored?.tokens.accessToken ?? null;
      try {
        if (g.navigator?.onLine === false) throw new ApiError(0, 'network');
        return (await refresh(stored.tokens.refreshToken))?.accessToken ?? null;
      } catch (thrown) {
        const left = read();
        // A refresh ahead of time may fail.
        if (left && leftMs(left) <= 0) throw thrown;
        return left?.tokens.accessToken ?? null;
      }
    },
    onStorage: (key: string | null): void => {
      // The key is null when a page clears the storage.
      if (key === null || key === name + SESSION) notify(false);
    },
    onChange: (listener: (change: AuthChange) => void): (() => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};
