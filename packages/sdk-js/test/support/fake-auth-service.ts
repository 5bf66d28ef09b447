import { decideRefresh } from '../../../core/src/identity/sessions/refresh-rules.ts';

const SCOPE = 1;
const DAY_MS = 86_400_000;
const SECOND_MS = 1_000;
const ACCESS_SECONDS = 900;

type Token = {
  readonly sessionId: string;
  readonly parent: string | null;
  state: 'active' | 'used';
  usedAtMs: number | null;
  siblings: number;
};
export type AuthCall = {
  readonly method: string;
  readonly path: string;
  readonly body: Record<string, unknown>;
  readonly token: string | null;
};

const base64url = (value: unknown): string =>
  btoa(JSON.stringify(value)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '');
const json = (status: number, body: unknown): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
const refusal = (status: number, reason: string): Response =>
  json(status, { success: false, error: { code: status === 409 ? 'CONFLICT' : 'UNAUTHORIZED', details: { reason } } });

/** A service that refreshes by the rules of the real one, on its own clock. */
export const fakeAuthService = (now: () => number) => {
  const tokens = new Map<string, Token>();
  const sessions = new Map<string, { revokedAtMs: number | null; expiresAtMs: number; reason?: string }>();
  const calls: AuthCall[] = [];
  const answers = new Map<string, unknown>();
  let count = 0;

  const userOf = (name: string) => ({ id: `id-${name}`, userId: name, email: `${name}@example.com` });
  const issue = (sessionId: string, parent: string | null, user = 'ann') => {
    count += 1;
    const refreshToken = `rt_${count}`;
    tokens.set(refreshToken, { sessionId, parent, state: 'active', usedAtMs: null, siblings: 0 });
    const iat = Math.floor(now() / SECOND_MS);
    const claims = { iat, exp: iat + ACCESS_SECONDS, sid: sessionId };
    return {
      accessToken: `${base64url({ alg: 'ES256' })}.${base64url(claims)}.${count}`,
      tokenType: 'Bearer',
      expiresIn: ACCESS_SECONDS,
      refreshToken,
      refreshExpiresAt: new Date(now() + 30 * DAY_MS).toISOString(),
      sessionId,
      deviceToken: 'dt_device',
      user: userOf(user),
    };
  };
  const open = (user?: string) => {
    count += 1;
    const id = `session-${count}`;
    sessions.set(id, { revokedAtMs: null, expiresAtMs: now() + 90 * DAY_MS });
    return issue(id, null, user);
  };

  const refresh = ({ refreshToken, deviceToken }: Record<string, unknown>): Response => {
    const token = tokens.get(String(refreshToken));
    const session = token && sessions.get(token.sessionId);
    const decision = decideRefresh({
      scopeId: SCOPE,
      stored:
        token && session
          ? {
              token: {
                scopeId: SCOPE,
                state: token.state,
                usedAtMs: token.usedAtMs,
                expiresAtMs: session.expiresAtMs,
                siblings: token.siblings,
                hasUsedChild: [...tokens.values()].some(
                  ({ parent, state }) => parent === refreshToken && state === 'used',
                ),
              },
              session: {
                revokedAtMs: session.revokedAtMs,
                idleExpiresAtMs: session.expiresAtMs,
                absoluteExpiresAtMs: session.expiresAtMs,
              },
              user: { isDisabled: false, isScimInactive: false },
            }
          : null,
      hasDeviceToken: deviceToken === 'dt_device',
      nowMs: now(),
    });
    if (!token || !session) return refusal(401, 'refresh_invalid');
    switch (decision.action) {
      case 'rotate':
        token.state = 'used';
        token.usedAtMs = now();
        break;
      case 'sibling':
        token.siblings += 1;
        break;
      case 'conflict':
        return refusal(409, 'refresh_in_progress');
      case 'revoke':
        session.revokedAtMs = now();
        session.reason = 'refresh_reuse';
        return refusal(401, 'refresh_reused');
      default:
        return refusal(401, 'session_expired');
    }
    return json(200, { success: true, data: issue(token.sessionId, String(refreshToken)) });
  };
  /** Whether an access token is valid now. */
  const accepts = (accessToken: string | null): boolean => {
    if (!accessToken) return false;
    const { exp, sid } = JSON.parse(atob(accessToken.split('.')[1] ?? ''));
    return exp * SECOND_MS > now() && sessions.get(sid)?.revokedAtMs === null;
  };

  const answer = ({ method, path, body, token }: AuthCall): Response => {
    if (path === '/token/refresh') return refresh(body);
    const set = answers.get(`${method} ${path}`);
    if (set instanceof Response) return set.clone();
    if (set !== undefined) return json(200, { success: true, data: set });
    if (path === '/login') return json(200, { success: true, data: open(String(body['email']).replace(/@.*/, '')) });
    if (token === null) return json(200, { success: true, data: {} });
    if (!accepts(token)) return refusal(401, 'token_invalid');
    if (path === '/me') return json(200, { success: true, data: { ...userOf('ann'), name: 'Ann' } });
    const { sid } = JSON.parse(atob(token.split('.')[1] ?? ''));
    const session = sessions.get(sid);
    if (path === '/logout' && session) session.revokedAtMs = now();
    return json(200, { success: true, data: { revoked: 1 } });
  };
  return {
    calls,
    answers,
    sessions,
    open,
    accepts,
    refusal,
    /** Answers that were lost for a refresh token: the service made a child that no page knows. */
    lossesOf: (refreshToken: unknown): number => {
      const token = tokens.get(String(refreshToken));
      return token?.state === 'used' ? 1 + token.siblings : 0;
    },
    fetch: async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const headers = new Headers(init?.headers);
      const call = {
        method: init?.method ?? 'GET',
        path: String(url).replace(/.*\/auth-service/, ''),
        body: JSON.parse(String(init?.body ?? '{}')),
        token: headers.get('authorization')?.replace('Bearer ', '') ?? null,
      };
      calls.push(call);
      return answer(call);
    },
  };
};
export type FakeAuthService = ReturnType<typeof fakeAuthService>;
