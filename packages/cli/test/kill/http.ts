import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

type Fields = Readonly<Record<string, unknown>>;

/** A complete response: `data` of a success, `code` and `details` of an error, `list` for arrays. */
export type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly code: unknown;
  readonly data: Fields;
  readonly list: readonly Fields[];
  readonly details: Fields;
  readonly text: string;
};

/** Idle timeout of a request, in milliseconds. Chosen: far above any response time. */
const SILENCE_MS = 20_000;

/** Maximum attempts of a call that an overloaded server rejects. Chosen: minutes on a busy machine. */
const CALLS = 12;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const fieldsOf = (value: unknown): Fields => (isFields(value) && !Array.isArray(value) ? value : {});

const answerOf = ({ statusCode = 0, headers }: IncomingMessage, text: string): Answer => {
  const { data, error } = fieldsOf(JSON.parse(text));
  const { code, details } = fieldsOf(error);
  const list = Array.isArray(data) ? data.filter(isFields) : [];
  return { status: statusCode, headers, data: fieldsOf(data), list, code, details: fieldsOf(details), text };
};

/** Calls one server over a fixed number of keep-alive connections. */
export type Client = {
  /** Rejects without a response; the result of the request is then unknown. */
  call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer>;
  close(): void;
};

/** A client with one key. Throws nothing. */
export const client = (base: string, key: string, connections: number): Client => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    call: (method, path, body) =>
      new Promise((resolve, reject) => {
        const headers = { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
        const sent = request(`${base}${path}`, { method, agent, headers, timeout: SILENCE_MS }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          response.once('error', reject);
          response.once('close', () => {
            if (response.complete) resolve(answerOf(response, text));
            else reject(new Error('the answer broke off'));
          });
        });
        sent.once('error', reject).once('timeout', () => sent.destroy(new Error('no answer came')));
        sent.end(body === undefined ? undefined : JSON.stringify(body));
      }),
    close: () => agent.destroy(),
  };
};

/** True if an overloaded server rejected a call, which stored nothing and can be repeated. */
export const isPutOff = ({ status, code, headers }: Answer): boolean =>
  status === 503 && code === 'OVERLOADED' && Number(headers['retry-after']) > 0;

/** A client that retries after Retry-After, as the SDK does. */
export const patient = ({ call, close }: Client): Client => ({
  call: async (...asked) => {
    let answer = await call(...asked);
    for (let calls = 1; calls < CALLS && isPutOff(answer); calls += 1) {
      await sleep(Number(answer.headers['retry-after']) * 1_000);
      answer = await call(...asked);
    }
    return answer;
  },
  close,
});

/** Runs work for every item with limited concurrency; keeps the order of results. */
export const forAll = async <Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) {
      // Safe: `at` is below the length.
      results[at] = await work(items[at] as Item);
    }
  };
  await Promise.all(Array.from({ length: limit }, client));
  return results;
};
