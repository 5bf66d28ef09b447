/* Clients that send events and emails without a pause, and what was acknowledged. */
import { setTimeout as sleep } from 'node:timers/promises';

/** One request, with the id that makes a repetition harmless. */
type Request = { readonly at: number; readonly id: string; readonly user: string };
/** What a server acknowledged. */
export type Acknowledged = { readonly events: string[]; readonly emails: string[] };

export type Load = {
  readonly acknowledged: Acknowledged;
  /** Answers that are neither success nor a request to come again, and how many. */
  readonly refused: Map<string, number>;
  /** Changes the servers that the clients use. */
  use(urls: readonly string[]): void;
  /** Resolves after this many further acknowledgements. */
  more(count: number): Promise<void>;
  /** Ends the clients after their request in flight. */
  stop(): Promise<void>;
};

const CLIENTS = 8;
/** One in this number of requests sends an email. */
const EMAIL_EVERY = 5;
const RETRY_MS = 50;
/** Ends a load that makes no progress. */
const HANGS_AFTER_MS = 300_000;

/** Starts the clients. `prefix` distinguishes the ids of this load. */
export const startLoad = (key: string, prefix: string): Load => {
  const acknowledged: Acknowledged = { events: [], emails: [] };
  const refused = new Map<string, number>();
  let urls: readonly string[] = [];
  let next = 0;
  let isOver = false;
  const count = (): number => acknowledged.events.length + acknowledged.emails.length;

  const post = (url: string, path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    });

  /** One attempt; true: acknowledged. A repeated event that was stored before answers 409 with its id. */
  const attempt = async (url: string, { at, id, user }: Request): Promise<boolean> => {
    const isEmail = at % EMAIL_EVERY === 0;
    const to = { to: `${user}@shop.example`, from: 'us@shop.example', subject: 'Hello', text: id };
    const response = isEmail
      ? await post(url, '/email/send', to, { 'idempotency-key': id })
      : await post(url, '/events', { module: 'shop', eventType: 'upgraded', userId: user, messageId: id });
    const text = await response.text();
    if (response.ok || (response.status === 409 && !isEmail)) {
      if (isEmail) acknowledged.emails.push(JSON.parse(text).data.id);
      else acknowledged.events.push(id);
      return true;
    }
    if (response.status !== 503 && response.status !== 429 && response.status !== 409) {
      const what = `${response.status} ${text.slice(0, 200)}`;
      refused.set(what, (refused.get(what) ?? 0) + 1);
    }
    return false;
  };

  const client = async (): Promise<void> => {
    while (!isOver) {
      const at = next++;
      const request = { at, id: `${prefix}-${at}`, user: `${prefix}-user-${at}` };
      // A request is repeated with its id until it is acknowledged, also over another server.
      for (let tries = 0; !isOver || tries > 0; tries += 1) {
        const url = urls[(at + tries) % Math.max(urls.length, 1)];
        const isDone = url !== undefined && (await attempt(url, request).catch(() => false));
        if (isDone || isOver) break;
        await sleep(RETRY_MS);
      }
    }
  };
  const clients = Array.from({ length: CLIENTS }, client);

  return {
    acknowledged,
    refused,
    use: (next) => {
      urls = next;
    },
    more: async (wanted) => {
      const end = count() + wanted;
      const deadline = performance.now() + HANGS_AFTER_MS;
      while (count() < end) {
        if (performance.now() > deadline)
          throw new Error(`no progress; refused: ${JSON.stringify(Object.fromEntries(refused))}`);
        await sleep(20);
      }
    },
    stop: async () => {
      isOver = true;
      await Promise.all(clients);
    },
  };
};
