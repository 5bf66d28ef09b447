import type { Clock } from '../../foundation/clock.ts';
import { notFound } from '../../foundation/errors.ts';
import { parse } from '../../foundation/parse.ts';
import type { Engagement, TakeReport } from '../sends/track/engagement.ts';
import type { PushApi } from './api.ts';
import { deliveredBody, openBody } from './schema.ts';

/**
 * A tap on the push is an open; a tap on a button is a click, which counts as an open. Source: interface, Track-open
 * body.
 */
const engagementOf = (action: string | null | undefined): Engagement =>
  action === null || action === undefined || action === 'body' ? { kind: 'opened' } : { kind: 'clicked', action };

/**
 * Stores device reports. A report with a message id belongs to that message; without one, to the only message of its
 * send or to the send itself. An unknown send, another tenant's send and a message of another send give the same 404.
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
