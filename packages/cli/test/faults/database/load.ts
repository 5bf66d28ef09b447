import { type Answer, client, forAll } from '../../kill/http.ts';

/** Requests started per second, independent of responses. Chosen: keeps two cores busy. */
const EVENTS_PER_S = 40;
const READS_PER_S = 10;
/** One in this number of events starts a run. Source: reliability, fault matrix (20 %). */
const RUN_EVERY = 5;
const CONNECTIONS = 400;
const AGAIN_AT_ONCE = 40;

/** Response to one event. */
export type Result = {
  readonly messageId: string;
  readonly userId: string;
  readonly beganMs: number;
  endedMs: number;
  /** Status of the response; 0: there was none. */
  status: number;
  code: string;
  isRetryable: boolean;
  /** The response says that nothing was stored. */
  isUndone: boolean;
};

/** Senders and readers of one server, until `stop`. */
export type Load = {
  readonly results: readonly Result[];
  readonly reads: readonly Result[];
  /** Stops sending and resolves when all requests have ended. */
  stop(): Promise<void>;
  /** Repeats unacknowledged requests unchanged; returns their responses. */
  again(): Promise<Answer[]>;
};

const pathOf = (userId: string): string => `/api/v1/profiles/${userId}`;

/** Starts the load; ids start with `prefix`. */
export const startLoad = (base: string, key: string, prefix: string): Load => {
  const http = client(base, key, CONNECTIONS);
  const results: Result[] = [];
  const reads: Result[] = [];
  const open = new Set<Promise<void>>();
  const bodyOf = ({ messageId, userId }: Result, at: number) => ({
    module: 'shop',
    eventType: at % RUN_EVERY === 0 ? 'counted' : 'seen',
    userId,
    messageId,
  });

  const record = (list: Result[], id: string, send: (one: Result) => Promise<Answer>): void => {
    const beganMs = performance.now();
    const one = { messageId: id, userId: id, beganMs, endedMs: 0, status: 0, code: 'none' };
    const entry: Result = { ...one, isRetryable: false, isUndone: false };
    list.push(entry);
    const request = send(entry)
      .then(({ status, code, headers, text }) => {
        entry.status = status;
        entry.code = typeof code === 'string' ? code : '';
        entry.isRetryable = headers['retry-after'] !== undefined;
        entry.isUndone = status >= 400 && !text.includes('may have succeeded');
      })
      .catch(() => undefined)
      .finally(() => {
        entry.endedMs = performance.now();
        open.delete(request);
      });
    open.add(request);
  };

  const sending = setInterval(() => {
    const at = results.length;
    record(results, `${prefix}-${at}`, (one) => http.call('POST', '/api/v1/events', bodyOf(one, at)));
  }, 1_000 / EVENTS_PER_S);
  const reading = setInterval(() => {
    const accepted = results.find(({ status }) => status === 200);
    if (accepted) record(reads, `${prefix}-read-${reads.length}`, () => http.call('GET', pathOf(accepted.userId)));
  }, 1_000 / READS_PER_S);

  return {
    results,
    reads,
    stop: async () => {
      clearInterval(sending);
      clearInterval(reading);
      await Promise.all(open);
    },
    again: async () => {
      const refused = [...results.entries()].filter(([, { status }]) => status !== 200);
      const answers = await forAll(refused, AGAIN_AT_ONCE, ([at, one]) =>
        http.call('POST', '/api/v1/events', bodyOf(one, at)),
      );
      http.close();
      return answers;
    },
  };
};
