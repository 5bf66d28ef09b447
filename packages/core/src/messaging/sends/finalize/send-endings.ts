import { userPerson } from '../../../foundation/person.ts';
import { scopeOf } from '../../../foundation/scope.ts';
import type { CatalogEvent, Cause, Emitted, Emitter } from '../../../people/events/emit.ts';
import { causesOf, describeSendEnding, type LoadCauses, type SendEnding } from '../lifecycle.ts';
import { NO_RECIPIENTS, type Places } from '../schema.ts';
import type { SendRow } from '../store.ts';

/** The user that a send names, where it names exactly one; null: it is for several, for an address or for an audience. */
export const onlyUserOf = (recipients: Places): string | null => {
  const [only, another] = recipients;
  return only?.kind === 'user' && !another ? userPerson(only.userId) : null;
};

/** How a send ended of which no message tells. */
export type Ending = Pick<SendEnding, 'name' | 'reason' | 'errorCode'>;

/** How a send ends that has no message because it is for nobody. */
export const FOR_NOBODY = { name: 'push.suppressed', reason: NO_RECIPIENTS.errorCode } as const satisfies Ending;

/** The event of a send that ended so. Only pushes have names for it in the catalog. Throws nothing. */
export const eventOfSendEnding = (
  send: Pick<SendRow, 'scopeId' | 'id' | 'channel' | 'recipients' | 'audienceId'>,
  ending: Ending,
  at: Date,
  cause: Cause,
): CatalogEvent | null => {
  if (send.channel !== 'push') return null;
  const person = send.audienceId === null ? onlyUserOf(send.recipients) : null;
  // Its row does not say whose it is once its recipients are forgotten, so the event is kept.
  return {
    ...describeSendEnding({ ...ending, sendId: send.id, at }),
    scope: scopeOf(send),
    person,
    ...cause,
    isKept: true,
  };
};

const NOTHING: Emitted = { writes: [], wakes: [] };

/** What raising the end of a send writes. Throws what the database throws. */
export type EndSend = (send: SendRow, ending: Ending, at: Date) => Promise<Emitted>;

/** Raises how sends end of which no message tells: before they have any, or with recipients that never became messages. */
export const sendEndings =
  ({ emitter, causes }: { readonly emitter: Emitter; readonly causes: LoadCauses }): EndSend =>
  async (send, ending, at) => {
    if (send.channel !== 'push') return NOTHING;
    const step = send.workflowRunId === null ? null : { runId: send.workflowRunId };
    const of = { ...scopeOf(send), step };
    const [emission, causeOf] = await Promise.all([emitter.load([send]), causesOf(causes, [of])]);
    const event = eventOfSendEnding(send, ending, at, causeOf(of));
    return event ? emission.emit(event) : NOTHING;
  };
