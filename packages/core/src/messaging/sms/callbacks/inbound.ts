import { derivedId } from '../../../foundation/derived-id.ts';
import { normaliseFreeForm } from '../../../foundation/json.ts';
import { phoneNumber } from '../../../foundation/phone-number.ts';
import { type InScope, scopeOf } from '../../../foundation/scope.ts';
import type { CatalogEvent } from '../../../people/events/emit.ts';
import type { ProviderEventOf } from '../../callbacks/reader.ts';
import { keywordOf } from '../keywords.ts';

/** Characters of a text that are kept; ours: more than any phone sends. */
const MAX_BODY = 4_096;
/** Files that are named. Source: Twilio, Message resource, MediaUrl. */
const MAX_MEDIA = 10;

/** A number that one of our senders is to write to no more. */
export type Stopped = InScope & {
  readonly channel: 'sms';
  readonly address: string;
  readonly reason: 'sms_stopped';
  readonly sender: string;
};
export type NewlyStopped = Stopped & { readonly source: 'person'; readonly messageId: null; readonly at: Date };

/** What a text message to one of our numbers comes to. */
export type InboundPlan = {
  readonly events: readonly CatalogEvent[];
  /** Put on the list, and taken off it: of our number, and of the messaging service that it belongs to. */
  readonly stopped: readonly NewlyStopped[];
  readonly started: readonly Stopped[];
};

/**
 * Plans a text message to one of our numbers. Whoever writes one of the words of opting out gets nothing more from that
 * number or its messaging service until they write one of those that resume it. Nothing is answered. Pure.
 *
 * @param person whose phone it is
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
