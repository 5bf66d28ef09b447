import type { ProviderConnection } from '../../../delivery/providers/connections.ts';
import type { SendOutcome } from '../../../delivery/transports/port.ts';
import { scopeOf } from '../../../foundation/scope.ts';
import type { Tracing } from '../../../foundation/telemetry.ts';
import type { LeasedRow } from '../statements.ts';

/** Makes a span of one call of a provider. */
export const traceCall = (
  tracing: Tracing,
  row: LeasedRow,
  { transport }: Pick<ProviderConnection, 'transport'>,
  call: () => Promise<SendOutcome>,
): Promise<SendOutcome> => {
  const attributes = {
    'beckon.channel': row.channel,
    // The name of the host's own transport, in place of the provider that it replaces.
    'beckon.provider': transport.name,
    'beckon.send_id': row.sendId,
    'beckon.message_id': row.id,
    'beckon.attempt': row.attempt + 1,
  };
  return tracing.trace(`send ${row.channel}`, { kind: 'client', scope: scopeOf(row), attributes }, async (span) => {
    const outcome = await call();
    span.add({ 'beckon.result': outcome.result });
    if (outcome.result !== 'accepted') span.fail(outcome.code);
    return outcome;
  });
};
