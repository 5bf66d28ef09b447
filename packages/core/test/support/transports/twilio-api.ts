// A stand-in for the messages resource of Twilio's API, over TLS on loopback. The last digits of the recipient's number
// determine the result.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { head, json, type PeerCall, type SmsPeer, smsPeer, stream, waitHeaders } from './sms-peer.ts';

/**
 * Results by the last five digits of a number. Twilio's own codes (`21211`, `20429` ...) are returned as such; the five
 * digits before `20429` are the seconds of `Retry-After`, none for 0, a date 30 s ahead for 99999.
 */
export const NUMBERS = {
  forbidden: '90403',
  /** The account does not exist; a messaging service; a page of an intermediary. */
  missing: '90404',
  missingService: '90405',
  missingPage: '90406',
  timeout: '90408',
  conflict: '90409',
  error: '90500',
  gateway: '90502',
  busy: '90513',
  /** A page of a server in front of it: no JSON, no code. */
  edgeError: '90503',
  redirect: '90307',
  garbage: '90201',
  empty: '90202',
  huge: '90210',
  /** `null`, which is JSON. */
  nothing: '90211',
  hang: '91001',
  hangAccepted: '91002',
  hangError: '91003',
  hangBusy: '91004',
  /** The connection is reset after the request was read; in the middle of a 201. */
  drop: '91005',
  dropAccepted: '91006',
} as const;

/** An accepted message. */
export type ArrivedSms = {
  readonly accountSid: string;
  readonly authorization: string;
  readonly connection: string;
  /** Fields of the form, in order; a name may occur several times. */
  readonly form: readonly (readonly [string, string])[];
  readonly headers: IncomingMessage['headers'];
};

export type TwilioApi = SmsPeer & { arrived(): readonly ArrivedSms[] };

export type TwilioApiOptions = {
  /** The secret of each user name, by account. */
  readonly accounts: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly now: () => Date;
  /** Minimum duration of an accepted message, in milliseconds; called for each. */
  readonly takesMs?: () => number;
};

const STATUS: Readonly<Record<string, number>> = { '20003': 401, '20429': 429 };
const refuse = (response: ServerResponse, code: string, to: string, headers: Record<string, string> = {}): void => {
  const status = STATUS[code] ?? 400;
  // As with Twilio, the message repeats the number.
  const message = `The 'To' number ${to} is not valid.`;
  json(
    response,
    status,
    { code: Number(code), message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
    headers,
  );
};

const absent = (response: ServerResponse, path: string): void =>
  json(response, 404, { code: 20404, message: `The requested resource ${path} was not found`, status: 404 });

type Act = (response: ServerResponse, reset: () => void, to: string) => void;

const ACTS: Readonly<Record<string, Act>> = {
  [NUMBERS.forbidden]: (response) => json(response, 403, { message: 'no' }),
  [NUMBERS.missing]: (response) => absent(response, `/2010-04-01/Accounts/AC${'1'.repeat(32)}/Messages.json`),
  [NUMBERS.missingService]: (response) => absent(response, `/Services/MG${'1'.repeat(32)}`),
  [NUMBERS.missingPage]: (response) => head(response, 404, '<html>nothing here</html>'),
  [NUMBERS.timeout]: (response) => head(response, 408, ''),
  [NUMBERS.conflict]: (response) => head(response, 409, '{}'),
  [NUMBERS.error]: (response) => json(response, 500, { code: 20500, message: 'oh', status: 500 }),
  [NUMBERS.gateway]: (response) => json(response, 502, { code: 20502, message: 'oh', status: 502 }),
  [NUMBERS.busy]: (response) => json(response, 503, { code: 20503, message: 'oh', status: 503 }),
  [NUMBERS.edgeError]: (response, _, to) => head(response, 503, `<html>no upstream for ${to}</html>`),
  [NUMBERS.redirect]: (response) => response.writeHead(307, { Location: 'https://elsewhere.test/' }).end(),
  [NUMBERS.garbage]: (response) => head(response, 201, '<html>'),
  [NUMBERS.empty]: (response) => head(response, 201, ''),
  [NUMBERS.huge]: (response) => stream(response, 201),
  [NUMBERS.nothing]: (response) => head(response, 201, 'null'),
  [NUMBERS.hang]: () => undefined,
  [NUMBERS.hangAccepted]: (response) => head(response, 201),
  [NUMBERS.hangError]: (response) => head(response, 503),
  [NUMBERS.hangBusy]: (response) => head(response.setHeader('Retry-After', '7'), 429),
  [NUMBERS.drop]: (_, reset) => reset(),
  [NUMBERS.dropAccepted]: (response, reset) => {
    response.writeHead(201, { 'Content-Length': '100' });
    response.write('{"sid":', () => setTimeout(reset, 20));
  },
};

/** Starts a stand-in. `stop` ends it together with every connection. */
export const twilioApi = async ({ accounts, now, takesMs = () => 0 }: TwilioApiOptions): Promise<TwilioApi> => {
  const arrived: ArrivedSms[] = [];

  const accept = ({ request, response, connection }: PeerCall, form: [string, string][], accountSid: string) => {
    const { authorization = '' } = request.headers;
    arrived.push({ accountSid, authorization, connection, form, headers: request.headers });
    const sid = `SM${String(arrived.length).padStart(32, '0')}`;
    const answer = { sid, status: 'queued', num_segments: '2', error_code: null, date_created: now().toUTCString() };
    const ms = takesMs();
    if (ms > 0) setTimeout(() => json(response, 201, answer), ms);
    else json(response, 201, answer);
  };

  const peer = await smsPeer((call) => {
    const { request, response, body, reset } = call;
    const accountSid = /^\/2010-04-01\/Accounts\/(\w+)\/Messages\.json(?:\?|$)/.exec(request.url ?? '')?.[1] ?? '';
    const basic = /^Basic (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const [user = '', secret = ''] = Buffer.from(basic, 'base64').toString().split(':');
    if (secret === '' || accounts[accountSid]?.[user] !== secret) return refuse(response, '20003', '');
    if (request.method === 'GET') return json(response, 200, { messages: [], page: 0, page_size: 1 });
    const types = request.rawHeaders.filter((name) => name.toLowerCase() === 'content-type');
    const isForm =
      request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') && types.length === 1;
    if (request.method !== 'POST' || !isForm) return json(response, 400, { message: 'Bad Request' });
    const form = [...new URLSearchParams(body)];
    const to = form.find(([name]) => name === 'To')?.[1] ?? '';
    const act = ACTS[to.slice(-5)];
    if (act) return act(response, reset, to);
    const code = /2\d{4}$/.exec(to)?.[0];
    if (code) return refuse(response, code, to, code === '20429' ? waitHeaders(to.slice(-10, -5), now()) : {});
    accept(call, form, accountSid);
  });
  return { ...peer, arrived: () => arrived };
};
