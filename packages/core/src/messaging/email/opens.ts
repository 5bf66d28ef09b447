import type { Clock } from '../../foundation/clock.ts';
import { contained } from '../../foundation/contained.ts';
import { notFound } from '../../foundation/errors.ts';
import type { Log } from '../../foundation/log.ts';
import { scopeOf } from '../../foundation/scope.ts';
import type { Engagement, TakeReport } from '../sends/track/engagement.ts';
import type { EmailApi, LinkRequest } from './api.ts';
import type { TrackingClaims, TrackingTokens } from './tracking-tokens.ts';

/** Maximum time that an open or click waits for the database, in milliseconds. Chosen: readers barely notice it. */
const WAIT_MS = 2_000;

/**
 * Records opens and clicks. A report is stored before the answer, unless the database fails or is slow: then the
 * failure is logged and the link works all the same, because statistics must not block readers.
 */
export const emailOpens = ({
  clock,
  tokens,
  report,
  log,
  waitMs = WAIT_MS,
}: {
  readonly clock: Clock;
  readonly tokens: Pick<TrackingTokens, 'read'>;
  readonly report: TakeReport;
  readonly log: Pick<Log, 'warn'>;
  /** For tests. */
  readonly waitMs?: number | undefined;
}): Pick<EmailApi, 'trackOpen' | 'trackClick'> => {
  const keep = async (
    { sendId, messageId, ...of }: TrackingClaims,
    engagement: Engagement,
    { method = null, userAgent = null }: { readonly [Key in keyof LinkRequest]: LinkRequest[Key] | null },
  ): Promise<void> => {
    const scope = scopeOf(of);
    const { scopeId } = scope;
    const by = { method, userAgent, isReportedMachine: false };
    const recorded = report(scope, { channel: 'email', sendId, messageId, engagement, at: clock.now(), by }).then(
      () => undefined,
      (error) => log.warn({ scopeId, kind: engagement.kind, error }, 'an open or click could not be stored'),
    );
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(
        contained(() => {
          resolve();
          log.warn({ scopeId, kind: engagement.kind, waitMs }, 'an open or click is not stored yet');
        }),
        waitMs,
      );
    });
    await Promise.race([recorded, late]);
    clearTimeout(timer);
  };

  return {
    trackOpen: async (token, by = {}) => {
      const claims = tokens.read(token);
      if (claims?.url === null) await keep(claims, { kind: 'opened' }, by);
    },
    trackClick: async (token, { isRecorded = true, ...by } = {}) => {
      const claims = tokens.read(token);
      if (!claims || claims.url === null) throw notFound();
      if (isRecorded) await keep(claims, { kind: 'clicked', action: claims.url }, by);
      return { url: claims.url };
    },
  };
};
