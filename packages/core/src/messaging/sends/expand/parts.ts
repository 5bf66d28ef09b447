// Selects the recipients that become messages next: the next of the list, or the next audience members, as many as have
// few enough addresses.

import { userPerson } from '../../../foundation/person.ts';
import { scopeOf } from '../../../foundation/scope.ts';
import { recipientsOfPeople, type SendAudiences } from '../audience.ts';
import type { Channels, Loaded } from '../channel.ts';
import { CHUNK, CHUNK_ADDRESSES, isRecipient, type Recipients } from '../schema.ts';
import type { SendRow } from '../store.ts';

/**
 * Progress of an expansion: `at` recipients are done, of an audience up to `person`. `after` is set within a recipient
 * with many addresses: the last address written.
 */
export type Cursor = { readonly at: number; readonly person: string | null; readonly after: string | null };

/** Recipients of one transaction. */
export type Part = {
  readonly recipients: Recipients;
  readonly found: Loaded['found'];
  /**
   * The addresses continue an earlier page of one recipient, so an empty page does not mean that there is no address.
   */
  readonly isContinued: boolean;
  readonly next: Cursor;
  /** No recipient follows. */
  readonly isLast: boolean;
};

type Slice = { readonly recipients: Recipients; readonly end: Cursor; readonly isLast: boolean };

/** The cursor at which a claimed send continues. Throws nothing. */
export const cursorOf = (send: SendRow): Cursor => ({
  at: send.expandedRecipients,
  person: send.expandedPerson,
  after: send.expandedAddress,
});

/**
 * Makes the function that reads the next part of a send. A part has at least one recipient unless the audience is
 * exhausted.
 */
export const partReader = (channels: Channels, audiences: SendAudiences) => {
  const sliceOf = async (send: SendRow, { at, person, after }: Cursor, count: number): Promise<Slice> => {
    if (send.audienceId === null) {
      const all = send.recipients.slice(at, at + count);
      const end = { at: at + all.length, person: null, after: null };
      return { recipients: all.filter(isRecipient), end, isLast: end.at >= send.recipients.length };
    }
    // Some addresses of this member are already written: write the remaining ones even if the member left the audience
    // meanwhile.
    if (after !== null && person !== null)
      return { recipients: recipientsOfPeople([person]), end: { at: at + 1, person, after: null }, isLast: false };
    const people = await audiences.page(send, send.audienceId, person, count);
    const end = { at: at + people.length, person: people.at(-1) ?? person, after: null };
    return { recipients: recipientsOfPeople(people), end, isLast: people.length < count };
  };

  return async (send: SendRow, cursor: Cursor, most = CHUNK): Promise<Part> => {
    const { load } = channels[send.channel];
    for (let count = cursor.after === null ? most : 1; ; count = Math.ceil(count / 2)) {
      const { recipients, end, isLast } = await sliceOf(send, cursor, count);
      const whole = { recipients, isContinued: cursor.after !== null, next: end, isLast };
      if (!load || recipients.length === 0) return { ...whole, found: new Map() };
      const targets = recipients.map((recipient) => ({ ...scopeOf(send), recipient }));
      const loaded = await load(targets, { after: cursor.after, limit: CHUNK_ADDRESSES });
      const [only] = recipients;
      if (loaded && loaded.next !== null) {
        const person = send.audienceId !== null && only?.kind === 'user' ? userPerson(only.userId) : null;
        const next = { at: cursor.at, person, after: loaded.next };
        return { recipients, found: loaded.found, isContinued: true, next, isLast: false };
      }
      if (loaded) return { ...whole, found: loaded.found };
      if (count === 1) throw new Error('a single recipient was not read in pages');
    }
  };
};
