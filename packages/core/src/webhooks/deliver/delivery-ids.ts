import type { SpanAttributes } from '../../foundation/telemetry.ts';
import type { LeasedDelivery } from '../statements.ts';

/** What spans say about a delivery. */
export const deliveryIds = ({ id, eventId, attempts }: LeasedDelivery): SpanAttributes => ({
  'beckon.delivery_id': id,
  'beckon.event_id': eventId,
  'beckon.attempt': attempts + 1,
});
