import { userPerson } from '../../../foundation/person.ts';
import { scopeOf } from '../../../foundation/scope.ts';
import type { CatalogEvent, Cause, Emitted, Emitter } from '../../../people/events/emit.ts';
import { causesOf, describeSendEnding, type LoadCauses, type SendEnding } from '../lifecycle.ts';
import { NO_RECIPIENTS, type StoredRecipients } from '../schema.ts';
import type { SendRow } from '../store.ts';

/** The only user of a send; null: several recipients, a raw address or an audience. */
export const onlyUserOf = (recipients: StoredRecipients): string | null => {
  const [only, another] = recipients;
  return only?.kind === 'user' && !another ? userPerson(only.userId) : null;
};

/** The end of a send that no message shows. */
export type Ending = Pick<SendEnding, 'name' | 'reason' | 'errorCode'>;

/** The end of a send without recipients. */
export const NO_RECIPIENTS_ENDING = {
  name: 'push.suppressed',
  reason: NO_RECIPIENTS.errorCode,
} as const satisfies Ending;

/** The event of such an end. Only pushes have these events in the catalog. Throws nothing. */
export const eventOfSendEnding = (
  send: Pick<SendRow, 'scopeId' | 'id' | 'channel' | 'recipients' | 'audienceId'>,
  ending: Ending,
  at: Date,
  cause: Cause,
): CatalogEvent | null => {
  if (send.channel !== 'push') return null;
  const person = send.audienceId === null ? onlyUserOf(send.recipients) : null;
  // The row does not name the user after its recipients are erased, so the event is stored.
  return {
    ...describeSendEnding({ ...ending, sendId: send.id, at }),
    scope: scopeOf(send),
    person,
    ...cause,
    isKept: true,
  };
};

const NOTHING: Emitted = { writes: [], wakes: [] };

/** The writes that raise the end of a send. Throws what the database throws. */
export type EndSend = (send: SendRow, ending: Ending, at: Date) => Promise<Emitted>;

/**
 * Raises the ends of sends that no message shows: before any message exists, or for recipients that never became
 * messages.
 */
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
