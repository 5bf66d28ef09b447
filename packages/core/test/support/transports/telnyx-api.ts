// A stand-in for the messages resource of Telnyx's API, over TLS on loopback. The last digits of the recipient's number
// determine the result.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { head, json, type PeerCall, type SmsPeer, smsPeer, stream, waitHeaders } from './sms-peer.ts';

/**
 * Results by the last five digits of a number. Telnyx's own codes (`40300`, `10011` ...) are returned as such; the five
 * digits before `10011` are the seconds of `Retry-After`, none for 0, a date 30 s ahead for 99999.
 */
export const NUMBERS = {
  unauthorised: '90401',
  forbidden: '90403',
  /** 403 with a code about the number, not about the key. */
  forbiddenNumber: '90413',
  missing: '90404',
  timeout: '90408',
  error: '90500',
  busy: '90513',
  /** A page of a server in front of it: no JSON, no code. */
  edgeError: '90503',
  redirect: '90307',
  garbage: '90201',
  empty: '90202',
  huge: '90210',
  nothing: '90211',
  hang: '91001',
  hangAccepted: '91002',
  hangError: '91003',
  hangBusy: '91004',
  /** The connection is reset after the request was read; in the middle of a 200. */
  drop: '91005',
  dropAccepted: '91006',
} as const;

/** An accepted message. */
export type ArrivedTelnyx = {
  readonly authorization: string;
  readonly connection: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: IncomingMessage['headers'];
};

export type TelnyxApi = SmsPeer & { arrived(): readonly ArrivedTelnyx[] };

const STATUS: Readonly<Record<string, number>> = { '10009': 401, '10011': 429 };

const refuse = (
  response: ServerResponse,
  status: number,
  code: string,
  to: string,
  headers: Record<string, string> = {},
): void => {
  // As with Telnyx, the message repeats the number.
  const errors = [{ code, title: 'Refused', detail: `Messages cannot be sent to '${to}'.` }];
  json(response, status, { errors }, headers);
};

type Act = (response: ServerResponse, reset: () => void, to: string) => void;

const ACTS: Readonly<Record<string, Act>> = {
  [NUMBERS.unauthorised]: (response) => head(response, 401, ''),
  [NUMBERS.forbidden]: (response, _, to) => refuse(response, 403, '10010', to),
  [NUMBERS.forbiddenNumber]: (response, _, to) => refuse(response, 403, '40305', to),
  [NUMBERS.missing]: (response, _, to) => refuse(response, 404, '10005', to),
  [NUMBERS.timeout]: (response) => head(response, 408, ''),
  [NUMBERS.error]: (response, _, to) => refuse(response, 500, '10007', to),
  [NUMBERS.busy]: (response, _, to) => refuse(response, 503, '10007', to),
  [NUMBERS.edgeError]: (response, _, to) => head(response, 503, `<html>no upstream for ${to}</html>`),
  [NUMBERS.redirect]: (response) => response.writeHead(307, { Location: 'https://elsewhere.test/' }).end(),
  [NUMBERS.garbage]: (response) => head(response, 200, '<html>'),
  [NUMBERS.empty]: (response) => head(response, 200, ''),
  [NUMBERS.huge]: (response) => stream(response, 200),
  [NUMBERS.nothing]: (response) => head(response, 200, 'null'),
  [NUMBERS.hang]: () => undefined,
  [NUMBERS.hangAccepted]: (response) => head(response, 200),
  [NUMBERS.hangError]: (response) => head(response, 503),
  [NUMBERS.hangBusy]: (response) => head(response.setHeader('Retry-After', '7'), 429),
  [NUMBERS.drop]: (_, reset) => reset(),
  [NUMBERS.dropAccepted]: (response, reset) => {
    response.writeHead(200, { 'Content-Length': '100' });
    response.write('{"data":', () => setTimeout(reset, 20));
  },
};

const objectOf = (text: string): Readonly<Record<string, unknown>> | null => {
  try {
    const parsed: unknown = JSON.parse(text);
    // Safe: an object that is no array has members by name.
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
};

/** Starts a stand-in that accepts these API keys. `stop` ends it together with every connection. */
export const telnyxApi = async ({
  keys,
  now,
}: {
  readonly keys: readonly string[];
  readonly now: () => Date;
}): Promise<TelnyxApi> => {
  const arrived: ArrivedTelnyx[] = [];

  const accept = ({ request, response, connection }: PeerCall, body: Readonly<Record<string, unknown>>): void => {
    const { authorization = '' } = request.headers;
    arrived.push({ authorization, connection, body, headers: request.headers });
    const id = `40385f64-5717-4562-b3fc-${String(arrived.length).padStart(12, '0')}`;
    json(response, 200, { data: { record_type: 'message', id, parts: 2, to: [{ status: 'queued' }] } });
  };

  const peer = await smsPeer((call) => {
    const { request, response, body: text, reset } = call;
    const key = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (!keys.includes(key)) return refuse(response, 401, '10009', '');
    if (request.method === 'GET') return json(response, 200, { data: [] });
    const body = objectOf(text);
    const isMessage = request.url === '/v2/messages' && request.headers['content-type'] === 'application/json';
    if (request.method !== 'POST' || !isMessage || !body) return refuse(response, 404, '10005', '');
    const to = String(body['to']);
    const act = ACTS[to.slice(-5)];
    if (act) return act(response, reset, to);
    const code = /(?:4|1)0\d{3}$/.exec(to)?.[0];
    if (code)
      return refuse(
        response,
        STATUS[code] ?? 400,
        code,
        to,
        code === '10011' ? waitHeaders(to.slice(-10, -5), now()) : {},
      );
    accept(call, body);
  });
  return { ...peer, arrived: () => arrived };
};
