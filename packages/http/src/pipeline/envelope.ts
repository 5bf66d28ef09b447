import type { Accepted, Page } from '@beckon/core';

/** What a face writes: `headers` in addition to those that every answer has. */
export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>> | null;
  /** Empty: the answer has no body and no content type. Bytes have a content type of their own in `headers`. */
  readonly body: string | Uint8Array<ArrayBuffer>;
};

/**
 * The success envelope around one thing.
 *
 * @param data becomes JSON; dates become ISO 8601 UTC with milliseconds
 * @param status 200; 201 where a resource was created
 */
export const succeed = (data: unknown, status = 200, headers: Answer['headers'] = null): Answer => ({
  status,
  headers,
  body: `{"success":true,"data":${JSON.stringify(data)}}`,
});

/**
 * The success envelope around one thing, with its fields beside it as well: standard clients, such as those of RFC 7517, know
 * no envelope.
 */
export const succeedDoubled = (data: object, headers: Answer['headers']): Answer => ({
  status: 200,
  headers,
  body: JSON.stringify({ success: true, data, ...data }),
});

/** The success envelope around a page of a list. */
export const succeedWithPage = ({ data, pagination }: Page<unknown>): Answer => ({
  status: 200,
  headers: null,
  body: `{"success":true,"data":${JSON.stringify(data)},"pagination":${JSON.stringify(pagination)}}`,
});

/**
 * The answer to an event. The id is one of ours, so the template needs no escaping; it costs a tenth of
 * `JSON.stringify` and is written for every event.
 */
export const succeedWithEvent = ({ id }: Accepted): Answer => ({
  status: 200,
  headers: null,
  body: `{"success":true,"data":{"id":"${id}","accepted":true}}`,
});
