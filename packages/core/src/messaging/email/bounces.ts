import type { Clock } from '../../foundation/clock.ts';
import type { FindOwner, Reported, TakeReports } from '../sends/track/delivery-report.ts';
import { type BounceMail, messageOfReturnPath, readBounceMail } from './bounce-mail.ts';
import type { BounceResult, BouncesApi } from './bounces-api.ts';

const reportedBy = (mail: BounceMail): BounceResult['reported'] => {
  if (mail.kind === 'complained' || mail.isPermanent) return mail.kind;
  return mail.isFinal ? 'failed' : 'partial';
};

/** Ingests emails of mail servers about sent emails. */
export const bouncesApi = ({
  clock,
  findOwner,
  scopeIdsOfAll,
  reports,
}: {
  readonly clock: Clock;
  readonly findOwner: FindOwner;
  /** Scopes of all tenants: the return path names only the message. */
  readonly scopeIdsOfAll: () => Promise<readonly number[]>;
  readonly reports: TakeReports;
}): BouncesApi => ({
  ingest: async (mail, { recipient } = {}) => {
    const read = readBounceMail(mail);
    if (read === null) return { result: 'ignored', reported: null, messageId: null };
    const reportedAs = reportedBy(read);
    const messageId = messageOfReturnPath(recipient === undefined ? read.recipients : [recipient]);
    const scope = messageId === null ? null : await findOwner(messageId, await scopeIdsOfAll());
    if (messageId === null || scope === null) return { result: 'unknown', reported: reportedAs, messageId };
    const reported: Reported =
      read.kind === 'bounced'
        ? {
            kind: 'bounced',
            isPermanent: read.isPermanent,
            isFinal: read.isFinal,
            code: read.code,
            message: read.message,
          }
        : { kind: 'complained' };
    const [taken = 'unknown'] = await reports([
      { scope, channel: 'email', of: { messageId }, reported, at: clock.now() },
    ]);
    // A repetition of what a provider callback reported is nothing new either.
    const result = taken === 'repeated' ? 'ignored' : taken;
    return { result, reported: reportedAs, messageId };
  },
});
