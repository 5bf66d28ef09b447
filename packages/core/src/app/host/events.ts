import { userIdOf } from '../../foundation/person.ts';
import { freshEntries, type Item, type Reaction } from '../../people/events/pipeline.ts';
import type { AfterCommit } from './after-commit.ts';
import type { AcceptedEvent, Hook } from './hooks.ts';

type Accepted = Item & { readonly kind: AcceptedEvent['kind'] };

const isAccepted = (item: Item): item is Accepted => item.kind === 'event' || item.kind === 'identify';

const acceptedOf = (item: Accepted, person: string): AcceptedEvent => ({
  id: item.id,
  scope: item.scope,
  kind: item.kind,
  module: item.module,
  eventType: item.eventType,
  userId: userIdOf(person),
  anonymousId: item.anonymousId,
  properties: item.properties,
  traits: item.traits,
  messageId: item.messageId,
  timestamp: item.timestamp,
  receivedAt: item.receivedAt,
});

/** Passes accepted events to the host. It is the last ingest reaction, because earlier ones resolve the user. */
export const notifyOfEvents = (
  { during }: Pick<Hook<AcceptedEvent>, 'during'>,
  after: AfterCommit<AcceptedEvent> | null,
): Reaction<void> => ({
  name: 'hooks of the host',
  load: async () => undefined,
  plan: (draft) => {
    const items = freshEntries(draft).flatMap(({ item, person }) =>
      isAccepted(item) ? [acceptedOf(item, person)] : [],
    );
    if (items.length === 0) return;
    draft.hooks.push({
      items,
      // Safe: the items are those above.
      ...(during && { inTransaction: (accepted, tx) => during(accepted as readonly AcceptedEvent[], tx) }),
      ...(after && { afterCommit: () => after.add(items) }),
    });
  },
});
