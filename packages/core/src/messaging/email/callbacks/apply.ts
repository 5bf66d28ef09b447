// Applies events of email providers: delivery reports, opens and clicks. Each is one commit, with the marks that apply
// it once. Events arrive in any order; the state of the message decides what an event changes.

import type { Storage } from '../../../database/storage.ts';
import type { ProviderEvent, ProviderEventOf } from '../../callbacks/reader.ts';
import { type Applied, type EventContext, MARK_TAG } from '../../callbacks/source.ts';
import type { Reported, TakeReports } from '../../sends/track/delivery-report.ts';
import type { Engagement, TakeReport } from '../../sends/track/engagement.ts';
import type { Marks } from '../../sends/track/marks.ts';
import { MAX_URL_CHARACTERS } from '../tracked-html.ts';

export type EmailCallbackContext = {
  readonly storage: Pick<Storage, 'commit'>;
  readonly reports: TakeReports;
  readonly report: TakeReport;
  /** Confirms a callback subscription. Throws what makes the provider retry. */
  readonly confirm: (url: string) => Promise<void>;
};

const APPLIED = {
  applied: 'applied',
  // Reported before, or contradicted by the message's end: nothing is left to do.
  ignored: 'applied',
  repeated: 'duplicate',
  early: 'early',
  unknown: 'unknown',
} as const;

type ReportEvent = ProviderEventOf<'delivered' | 'bounced' | 'complained' | 'failed'>;
type EngagementEvent = ProviderEventOf<'opened' | 'clicked'>;

const reportedOf = (event: ReportEvent): Reported => {
  switch (event.type) {
    case 'bounced': {
      const code = event.code ?? 'bounced';
      const { isPermanent, isFinal } = event;
      const message = isPermanent
        ? 'The address does not take mail.'
        : isFinal
          ? 'The mail was not delivered. The address was kept.'
          : 'The mail was not taken this time.';
      return { kind: 'bounced', isPermanent, isFinal, code, message };
    }
    case 'failed':
      return {
        kind: 'failed',
        code: event.code ?? 'failed',
        message: event.message ?? 'The provider did not send the mail.',
      };
    default:
      return { kind: event.type };
  }
};

const engagementOf = (event: EngagementEvent): Engagement =>
  event.type === 'opened'
    ? { kind: 'opened' }
    : { kind: 'clicked', action: event.url.slice(0, MAX_URL_CHARACTERS).toWellFormed() };

/** Makes the function that applies one event. Throws OVERLOADED, and what the database throws. */
export const applyEmailCallback = ({ storage, reports, report, confirm }: EmailCallbackContext) => {
  const marked = async ({ mark }: EventContext): Promise<Applied> => {
    const committed = await storage.commit({ writes: mark() });
    return committed.ok ? 'applied' : 'duplicate';
  };

  const reported = async (event: ReportEvent, context: EventContext, marks: Marks, messageId: string) => {
    const { scope } = context;
    const about = { scope, channel: 'email', of: { messageId }, at: event.at } as const;
    const [reportResult = 'unknown'] = await reports([{ ...about, reported: reportedOf(event) }], marks);
    return APPLIED[reportResult];
  };

  const looked = async (
    event: EngagementEvent,
    { scope }: EventContext,
    marks: Marks,
    { id: messageId, sendId }: { readonly id: string; readonly sendId: string },
  ): Promise<Applied> => {
    const about = { channel: 'email', sendId, messageId, at: event.at } as const;
    const by = { method: null, userAgent: event.userAgent, isReportedMachine: event.isMachine };
    const reportResult = await report(scope, { ...about, engagement: engagementOf(event), by }, marks);
    if (reportResult === 'repeated') return 'duplicate';
    return reportResult ? 'applied' : 'unknown';
  };

  return async (event: ProviderEvent, context: EventContext): Promise<Applied> => {
    if (event.type === 'subscription') {
      // Outside of a transaction and before the mark: a repeated confirmation is harmless.
      await confirm(event.url);
      return marked(context);
    }
    const { message } = context;
    if (message === null) return 'unknown';
    const marks = { writes: context.mark(), tag: MARK_TAG };
    switch (event.type) {
      case 'sent':
        return marked(context);
      case 'delivered':
      case 'bounced':
      case 'complained':
      case 'failed':
        return reported(event, context, marks, message.id);
      case 'opened':
      case 'clicked':
        return looked(event, context, marks, message);
      case 'inbound':
      case 'unrecognised':
        return 'unknown';
      default:
        return event satisfies never;
    }
  };
};
