import { derivedId } from '../../../foundation/derived-id.ts';
import type { InScope } from '../../../foundation/scope.ts';
import type { CatalogEvent, IsHeard } from '../../../people/events/emit.ts';
import { eventOfSendEnding, FOR_NOBODY, onlyUserOf } from '../finalize/send-endings.ts';
import { NO_RECIPIENTS, type SendRequest } from '../schema.ts';
import type { SendRow } from '../store.ts';

const propertiesOf = {
  'push.send_requested': ({ id: sendId }: SendRow) => ({ sendId }),
  'push.scheduled': ({ id: sendId, scheduledFor }: SendRow) => ({
    sendId,
    scheduledFor: scheduledFor?.toISOString() ?? null,
  }),
} as const;

/**
 * The events of the catalog that accepting a send is, as far as somebody listens. A send to one user is that person's,
 * any other is nobody's: it is one event, however many it is for. A send that is for nobody ends with it. Throws nothing.
 */
export const eventsOfSend = (
  scope: InScope,
  row: SendRow,
  { recipients, depth = 0, budget }: SendRequest,
  isHeard: IsHeard,
): readonly CatalogEvent[] => {
  if (row.channel !== 'push') return [];
  const names = (['push.send_requested', 'push.scheduled'] as const).filter(
    (name) => isHeard(scope, name) && (name !== 'push.scheduled' || row.scheduledFor !== null),
  );
  const person = onlyUserOf(recipients);
  const accepted = names.map(
    (name): CatalogEvent => ({
      id: derivedId(row.createdAt, `${name}/${row.id}`),
      name,
      scope,
      person,
      properties: propertiesOf[name](row),
      at: row.createdAt,
      depth,
      budget,
    }),
  );
  if (row.errorCode !== NO_RECIPIENTS.errorCode) return accepted;
  const ended = eventOfSendEnding(row, FOR_NOBODY, row.createdAt, { depth, budget });
  return ended ? [...accepted, ended] : accepted;
};
