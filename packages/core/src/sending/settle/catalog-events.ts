import type { CatalogEvent, Emission, Emitter } from '../../events/emit.ts';
import { scopeOf } from '../../primitives/scope.ts';
import { depthsOf, describeMoment, endingName, isLate, type LoadDepths } from '../lifecycle.ts';
import type { MessageChange } from './change.ts';
import type { MessageReaction } from './reactions.ts';

/** As much of a change of a message as its event tells. */
type ToldChange = Pick<
  MessageChange,
  'scopeId' | 'messageId' | 'sendId' | 'channel' | 'person' | 'from' | 'status' | 'reason' | 'errorCode' | 'at'
>;

/** Receipts are not among them: the report of one raises its own event (track/engagement.ts). */
const nameOf = ({ channel, from, status }: Pick<ToldChange, 'channel' | 'from' | 'status'>) =>
  status === from || status === 'delivered' ? null : endingName(channel, status);

/**
 * The events of the catalog that a change of a message is. Throws nothing.
 *
 * @param depth of what the message's send causes: 0, or one more than the run that sent it
 */
export const eventsOfMessageChange = (change: ToldChange, depth: number): readonly CatalogEvent[] => {
  const { person, messageId, at } = change;
  const name = nameOf(change);
  if (name === null) return [];
  const isKept = isLate(messageId, at);
  return [{ ...describeMoment({ ...change, name }), scope: scopeOf(change), person, depth, isKept }];
};

type Loaded = { readonly emission: Emission; readonly depthOf: (change: MessageChange) => number };

/** Raises the events of messages that end. Where nobody listens it reads nothing and writes nothing. */
export const messageEvents = ({
  emitter,
  depths,
}: {
  readonly emitter: Emitter;
  readonly depths: LoadDepths;
}): MessageReaction<Loaded> => {
  const isTold = ({ isHeard }: Emission, change: MessageChange): boolean => {
    const name = nameOf(change);
    return name !== null && (isHeard(change, name) || isLate(change.messageId, change.at));
  };
  return {
    name: 'catalog events',
    concerns: (change) => nameOf(change) !== null,
    concernsSend: async (change) => {
      const name = nameOf(change);
      return name !== null && (await emitter.load([change])).isHeard(change, name);
    },
    load: async (changes) => {
      const emission = await emitter.load(changes);
      const told = changes.filter((change) => isTold(emission, change));
      return { emission, depthOf: await depthsOf(depths, told) };
    },
    plan: (changes, { emission, depthOf }) => {
      const emitted = changes
        .filter((change) => isTold(emission, change))
        .flatMap((change) => eventsOfMessageChange(change, depthOf(change)))
        .map((event) => emission.emit(event));
      return { writes: emitted.flatMap(({ writes }) => writes), wakes: emitted.flatMap(({ wakes }) => wakes) };
    },
  };
};
