import type { Clock } from '../../foundation/clock.ts';
import { notFound } from '../../foundation/errors.ts';
import { parse } from '../../foundation/parse.ts';
import type { Engagement, TakeReport } from '../sends/track/engagement.ts';
import type { PushApi } from './api.ts';
import { deliveredBody, openBody } from './schema.ts';

/** A tap on the push itself is an open; one on a button is a click, too. Source: interface, Track-open body. */
const engagementOf = (action: string | null | undefined): Engagement =>
  action === null || action === undefined || action === 'body' ? { kind: 'opened' } : { kind: 'clicked', action };

/**
 * What devices report. A report that names its message is that message's; one that does not is the only message's of
 * its send, or counts on the send alone. An unknown send, another tenant's and a message of another send are one 404.
 */
export const opens = ({
  clock,
  report,
}: {
  readonly clock: Clock;
  readonly report: TakeReport;
}): Pick<PushApi, 'trackOpen' | 'trackDelivered'> => ({
  trackOpen: async (scope, body) => {
    const { sendId, messageId, clickAction } = parse(openBody, body);
    const engagement = engagementOf(clickAction);
    const about = { channel: 'push', sendId, messageId: messageId ?? null, engagement, at: clock.now() } as const;
    if (!(await report(scope, about))) throw notFound();
    return { accepted: true };
  },
  trackDelivered: async (scope, body) => {
    const { sendId, messageId } = parse(deliveredBody, body);
    const engagement = { kind: 'delivered' } as const;
    const about = { channel: 'push', sendId, messageId: messageId ?? null, engagement, at: clock.now() } as const;
    if (!(await report(scope, about))) throw notFound();
    return { accepted: true };
  },
});
