// Captcha: the token of a widget on the sign-in page, verified with its provider before any other work.

import { withLimit } from '../../delivery/transports/deadline.ts';
import type { NetOptions } from '../../delivery/transports/outbound/guarded-agent.ts';
import { type GuardedRequests, guardedRequests } from '../../delivery/transports/outbound/guarded-agent-request.ts';
import { isObject } from '../../foundation/json.ts';
import type { Log } from '../../foundation/log.ts';
import { addressRules } from '../../foundation/net/addresses.ts';
import { urlProblem } from '../../foundation/net/urls.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { CaptchaType } from '../auth-settings/captcha-types.ts';
import type { AuthSettingsEngine } from '../auth-settings/settings.ts';
import { forbiddenFor } from '../shapes/errors.ts';

/** Milliseconds of one verification. Source: auth.md, OIDC SSO: requests to other services. */
const LIMIT_MS = 5_000;
/** Source: the providers' documents, "siteverify". */
const URLS: Readonly<Record<Exclude<CaptchaType, 'none'>, string>> = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
  recaptcha: 'https://www.google.com/recaptcha/api/siteverify',
};
/** Scores of reCAPTCHA v3 below it count as a program. Source: its documents, "Interpreting the score". */
const MIN_SCORE = 0.5;

/** URLs in place of the providers' own. */
export type CaptchaUrls = Readonly<Partial<Record<Exclude<CaptchaType, 'none'>, string | undefined>>>;

export type Captcha = {
  /**
   * Verifies the token of a request if the settings name a captcha. Throws FORBIDDEN `captcha_failed` without a valid
   * token, and also if the provider cannot be reached or has no secret: a check that fails lets nobody in.
   */
  require(scope: Scope, token: string | undefined, client: Pick<ClientInfo, 'ip'>): Promise<void>;
  close(): Promise<void>;
};

/** Construction does no I/O. */
export const captchaCheck = ({
  settings,
  log,
  net = {},
  urls = {},
}: {
  readonly settings: Pick<AuthSettingsEngine, 'load' | 'captchaSecret'>;
  readonly log: Log;
  readonly net?: NetOptions | undefined;
  readonly urls?: CaptchaUrls | undefined;
}): Captcha => {
  let requests: GuardedRequests | undefined;
  const addresses = addressRules(net.allowCidrs);
  const never = new AbortController().signal;

  /** Why the token is refused; null if it is valid. */
  const refusalOf = async (
    type: Exclude<CaptchaType, 'none'>,
    form: Readonly<Record<'secret' | 'response', string>>,
    ip: string | null,
  ): Promise<string | null> => {
    const url = new URL(urls[type] ?? URLS[type]);
    // Only the operator replaces a URL, and may use http for a provider on the same machine.
    if (urlProblem(url, { httpsOnly: urls[type] === undefined, addresses }) !== null) return 'url';
    requests ??= guardedRequests({ ...net, inactivityMs: LIMIT_MS });
    const { request } = requests;
    const body = new URLSearchParams({ ...form, ...(ip !== null && { remoteip: ip }) }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const result = await withLimit(never, LIMIT_MS, (signal) =>
      request({ url, method: 'POST', headers, body, answer: 'read' }, signal),
    );
    if (result.kind === 'none') return result.code;
    if (result.status !== 200) return `status_${result.status}`;
    try {
      const answer: unknown = JSON.parse(Buffer.from(result.body).toString());
      if (!isObject(answer) || answer['success'] !== true) return 'token';
      return typeof answer['score'] === 'number' && answer['score'] < MIN_SCORE ? 'score' : null;
    } catch {
      return 'answer';
    }
  };

  return {
    require: async (scope, token = '', { ip }) => {
      const { type } = (await settings.load(scope)).captcha;
      if (type === 'none') return;
      if (token === '') throw forbiddenFor('captcha_failed');
      const secret = await settings.captchaSecret(scope);
      const refusal = secret === null ? 'no_secret' : await refusalOf(type, { secret, response: token }, ip);
      if (refusal === null) return;
      // A wrong token is the client's fault; anything else the operator must know.
      if (refusal !== 'token' && refusal !== 'score')
        log.warn({ captcha: type, code: refusal, scopeId: scope.scopeId }, 'a captcha could not be verified');
      throw forbiddenFor('captcha_failed');
    },
    close: async () => {
      await requests?.close();
    },
  };
};
