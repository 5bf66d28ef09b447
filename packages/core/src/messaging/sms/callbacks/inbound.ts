import { derivedId } from '../../../foundation/derived-id.ts';
import { normaliseFreeForm } from '../../../foundation/json.ts';
import { phoneNumber } from '../../../foundation/phone-number.ts';
import { type InScope, scopeOf } from '../../../foundation/scope.ts';
import type { CatalogEvent } from '../../../people/events/emit.ts';
import type { ProviderEventOf } from '../../callbacks/reader.ts';
import { keywordOf } from '../keywords.ts';

/** Stored characters of a text. Chosen: more than phones send. */
const MAX_BODY = 4_096;
/** Maximum files listed. Source: Twilio, Message resource, MediaUrl. */
const MAX_MEDIA = 10;

/** A number that one sender must no longer write to. */
export type Stopped = InScope & {
  readonly channel: 'sms';
  readonly address: string;
  readonly reason: 'sms_stopped';
  readonly sender: string;
};
export type NewlyStopped = Stopped & { readonly source: 'person'; readonly messageId: null; readonly at: Date };

/** The effects of an inbound text. */
export type InboundPlan = {
  readonly events: readonly CatalogEvent[];
  /** Entries to add to the list and to remove: for the own number and for its messaging service. */
  readonly stopped: readonly NewlyStopped[];
  readonly started: readonly Stopped[];
};

/**
 * Plans an inbound text. After an opt-out keyword the number gets nothing more from that sender or its messaging
 * service until an opt-in keyword. No reply is sent. Pure.
 *
 * @param person profile key of the phone's user
 */
export const inboundOf = (scope: InScope, person: string, event: ProviderEventOf<'inbound'>): InboundPlan => {
  const { from, to, body, service, mediaUrls, at } = event;
  const keyword = event.keyword ?? keywordOf(body);
  const properties = normaliseFreeForm({
    from,
    to,
    body: body.slice(0, MAX_BODY),
    ...(keyword === null ? {} : { keyword }),
    ...(mediaUrls.length === 0 ? {} : { mediaUrls: mediaUrls.slice(0, MAX_MEDIA) }),
  });
  const common = { scope: scopeOf(scope), person, at, depth: 0, properties };
  const idOf = (name: string): string => derivedId(at, `${name}/${event.ids[0] ?? ''}`);
  const number = phoneNumber(from);
  const senders = [to, ...(service === null ? [] : [service])].filter((sender) => sender !== '');
  const entries = (number === null ? [] : senders).map((sender) => ({
    ...scopeOf(scope),
    channel: 'sms' as const,
    address: number ?? '',
    reason: 'sms_stopped' as const,
    sender,
  }));
  return {
    events: [
      { ...common, id: idOf('sms.inbound'), name: 'sms.inbound' },
      ...(keyword === 'stop' ? [{ ...common, id: idOf('sms.stop_received'), name: 'sms.stop_received' } as const] : []),
    ],
    stopped: keyword === 'stop' ? entries.map((entry) => ({ ...entry, source: 'person', messageId: null, at })) : [],
    started: keyword === 'start' ? entries : [],
  };
};
