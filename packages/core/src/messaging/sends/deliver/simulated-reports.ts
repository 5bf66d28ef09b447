// Delayed provider reports that the sandbox simulates. They are applied like callbacks, after the answers that they
// follow are written, so events, webhooks, runs and lists of `test` see them as in `prod`.

import type { SimulatedReport } from '../../../delivery/transports/port.ts';
import type { Log } from '../../../foundation/log.ts';
import { scopeOf } from '../../../foundation/scope.ts';
import type { MessageChange } from '../finalize/change.ts';
import type { Reported } from '../track/apply-report.ts';
import type { DeliveryReport, TakeReports } from '../track/delivery-report.ts';

/** Maximum reports per call. Chosen: the messages of one claim. */
const MAX_REPORTS = 256;

const DELIVERED: Reported = { kind: 'delivered' };
const PLAYED: Readonly<Record<SimulatedReport, readonly Reported[]>> = {
  delivered: [DELIVERED],
  bounced: [
    {
      kind: 'bounced',
      isPermanent: true,
      code: 'sandbox_bounced',
      message: 'The sandbox simulates a bounce.',
    },
  ],
  // A complaint follows a delivery.
  complained: [DELIVERED, { kind: 'complained' }],
  failed: [
    { kind: 'failed', code: 'sandbox_failed', message: 'The sandbox simulates a number that cannot be reached.' },
  ],
};

/** An accepted message, and what its provider would report. */
type Simulation = { readonly change: MessageChange; readonly simulated: SimulatedReport };

/**
 * Applies the reports of messages whose answers are written. Throws nothing: the messages were sent, and a lost report
 * only means that the simulated provider did not report.
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
      log.error({ messages: simulations.length, error }, 'simulated reports could not be stored');
    }
  };
