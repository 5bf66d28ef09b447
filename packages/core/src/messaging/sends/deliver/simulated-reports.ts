// What the sandbox plays of a provider that reports later. Reports are taken as those of callbacks are, once the answers that
// they follow are written, so events, webhooks, runs and lists of `test` learn of them as those of `prod` do.

import type { SimulatedReport } from '../../../delivery/transports/port.ts';
import type { Log } from '../../../foundation/log.ts';
import { scopeOf } from '../../../foundation/scope.ts';
import type { MessageChange } from '../finalize/change.ts';
import type { Reported } from '../track/apply-report.ts';
import type { DeliveryReport, TakeReports } from '../track/delivery-report.ts';

/** Reports of one call; ours: as many messages as a worker claims. */
const MAX_REPORTS = 256;

const DELIVERED: Reported = { kind: 'delivered' };
const PLAYED: Readonly<Record<SimulatedReport, readonly Reported[]>> = {
  delivered: [DELIVERED],
  bounced: [
    {
      kind: 'bounced',
      isPermanent: true,
      code: 'sandbox_bounced',
      message: 'The sandbox plays a mail that came back.',
    },
  ],
  // Nobody complains of a mail that they have not got.
  complained: [DELIVERED, { kind: 'complained' }],
  failed: [{ kind: 'failed', code: 'sandbox_failed', message: 'The sandbox plays a number that nothing reaches.' }],
};

/** A message that was accepted, and what its provider would report. */
type Simulation = { readonly change: MessageChange; readonly simulated: SimulatedReport };

/**
 * Takes the reports of messages whose answers are written. Throws nothing: the messages have been sent, and what is lost
 * here is a report that a provider never made.
 */
export const simulatedReports =
  ({ reports, clock, log }: { reports: TakeReports; clock: { now(): Date }; log: Pick<Log, 'error'> }) =>
  async (simulations: readonly Simulation[]): Promise<void> => {
    const made = simulations.flatMap(({ change, simulated }): DeliveryReport[] => {
      const { channel, messageId } = change;
      const about = { scope: scopeOf(change), channel, of: { messageId }, at: clock.now() };
      return PLAYED[simulated].map((reported) => ({ ...about, reported }));
    });
    try {
      for (let at = 0; at < made.length; at += MAX_REPORTS) await reports(made.slice(at, at + MAX_REPORTS));
    } catch (error) {
      log.error({ messages: simulations.length, error }, 'reports that the sandbox plays could not be written');
    }
  };
