import { scopeOf } from '../../../foundation/scope.ts';
import type { CatalogEvent, Cause, Emitter, LoadedEmitter } from '../../../people/events/emit.ts';
import { causesOf, describeMoment, endingName, isLate, type LoadCauses } from '../lifecycle.ts';
import type { MessageChange } from './change.ts';
import type { MessageReaction } from './reactions.ts';

/** The fields of a message change that its event needs. */
type ReportedChange = Pick<
  MessageChange,
  'scopeId' | 'messageId' | 'sendId' | 'channel' | 'person' | 'from' | 'status' | 'reason' | 'errorCode' | 'at'
>;

/** Receipts are excluded: their report raises the event (track/engagement.ts). */
const nameOf = ({ channel, from, status }: Pick<ReportedChange, 'channel' | 'from' | 'status'>) =>
  status === from || status === 'delivered' ? null : endingName(channel, status);

/**
 * The catalog events of a message change. Throws nothing.
 *
 * @param cause inherited from the workflow run; empty without a run
 */
export const eventsOfMessageChange = (change: ReportedChange, cause: Cause): readonly CatalogEvent[] => {
  const { person, messageId, at } = change;
  const name = nameOf(change);
  if (name === null) return [];
  const isKept = isLate(messageId, at);
  return [{ ...describeMoment({ ...change, name }), scope: scopeOf(change), person, ...cause, isKept }];
};

type Loaded = { readonly emission: LoadedEmitter; readonly causeOf: (change: MessageChange) => Cause };

/** Raises the events of messages that end. Without subscribers it reads and writes nothing. */
export const messageEvents = ({
  emitter,
  causes,
}: {
  readonly emitter: Emitter;
  readonly causes: LoadCauses;
}): MessageReaction<Loaded> => {
  const isReported = ({ hasSubscribers: hasListeners }: LoadedEmitter, change: MessageChange): boolean => {
    const name = nameOf(change);
    return name !== null && (hasListeners(change, name) || isLate(change.messageId, change.at));
  };
  return {
    name: 'catalog events',
    concerns: (change) => nameOf(change) !== null,
    concernsSend: async (change) => {
      const name = nameOf(change);
      return name !== null && (await emitter.load([change])).hasSubscribers(change, name);
    },
    load: async (changes) => {
      const emission = await emitter.load(changes);
      const reported = changes.filter((change) => isReported(emission, change));
      return { emission, causeOf: await causesOf(causes, reported) };
    },
    plan: (changes, { emission, causeOf }) => {
      const emitted = changes
        .filter((change) => isReported(emission, change))
        .flatMap((change) => eventsOfMessageChange(change, causeOf(change)))
        .map((event) => emission.emit(event));
      return { writes: emitted.flatMap(({ writes }) => writes), wakes: emitted.flatMap(({ wakes }) => wakes) };
    },
  };
};
