type Item = { readonly messageId: string; readonly eventType?: string; readonly [name: string]: unknown };
/** One request as the service received it. */
export type Seen = {
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
  readonly body: { readonly batch?: readonly Item[]; readonly sentAt?: string } & Record<string, unknown>;
  readonly bytes: number;
  readonly keepalive: boolean;
  readonly atMs: number;
};
/** The next response, once: a status with details, or no response. */
export type Refusal = {
  readonly status: number;
  readonly code?: string;
  readonly details?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
};

const STATUS_OF: Readonly<Record<string, number>> = { OVERLOADED: 503, INTERNAL: 500 };
const HEADERS = { 'content-type': 'application/json', 'x-request-id': 'request-1' };
const json = (status: number, body: unknown, headers = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { ...HEADERS, ...headers } });

/** A service behind `fetch` and `sendBeacon` that detects duplicates by message id, like the real one. */
export const fakeService = () => {
  const seen: Seen[] = [];
  const stored = new Map<string, Item>();
  const refusals: (Refusal | 'down')[] = [];
  const state = { isDown: false, duplicates: 0, inFlight: 0, mostInFlight: 0, hangs: null as Promise<void> | null };
  const answers = new Map<string, unknown>();
  /** Why an event is not stored; undefined: it is stored. */
  let rejects: (item: Item) => string | undefined = () => undefined;

  const take = (items: readonly Item[]) => {
    const codes = items.map(rejects);
    const rejected = codes.flatMap((code, index) => {
      const fieldErrors = code === 'VALIDATION_ERROR' ? { eventType: ['No.'] } : {};
      return code === undefined ? [] : [{ index, code, fieldErrors }];
    });
    const fine = items.filter((_, index) => codes[index] === undefined);
    const fresh = fine.filter(({ messageId }) => !stored.has(messageId));
    for (const item of fresh) stored.set(item.messageId, item);
    state.duplicates += fine.length - fresh.length;
    return { accepted: fresh.length, duplicates: fine.length - fresh.length, rejected };
  };

  const answer = (request: Seen): Response => {
    const refusal = refusals.shift();
    if (refusal === 'down' || state.isDown) throw new TypeError('Failed to fetch');
    if (refusal) {
      const { status, code = 'CODE', details = {}, headers = {} } = refusal;
      return json(status, { success: false, error: { code, message: 'No.', details } }, headers);
    }
    const { method, path, body } = request;
    if (path === '/events/batch') {
      const data = take(body.batch ?? []);
      const fault = data.rejected.find(({ code }) => STATUS_OF[code] !== undefined);
      // If nothing of a batch is stored, and no event is the cause, the whole batch is rejected.
      if (data.rejected.length < (body.batch?.length ?? 0) || !fault) return json(200, { success: true, data });
      const error = { code: fault.code, message: 'No.', details: {} };
      return json(STATUS_OF[fault.code] ?? 500, { success: false, error });
    }
    // Safe: every identify call carries its message id.
    if (path === '/identify') return json(200, { success: true, data: take([body as Item]) });
    return json(200, { success: true, data: answers.get(`${method} ${path}`) ?? { accepted: true } });
  };

  const note = (method: string, url: string, text: string, key: string | null, keepalive = false): Seen => {
    const { pathname, searchParams } = new URL(url);
    const request: Seen = {
      method,
      path: pathname.replace('/api/v1', ''),
      key: key ?? searchParams.get('key'),
      body: text === '' ? {} : JSON.parse(text),
      bytes: new TextEncoder().encode(text).length,
      keepalive,
      atMs: Date.now(),
    };
    seen.push(request);
    return request;
  };

  const fakeFetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const request = note(
      init.method ?? 'GET',
      url,
      typeof init.body === 'string' ? init.body : '',
      new Headers(init.headers).get('x-api-key'),
      init.keepalive,
    );
    state.mostInFlight = Math.max(state.mostInFlight, ++state.inFlight);
    try {
      await state.hangs;
      return answer(request);
    } finally {
      state.inFlight--;
    }
  };

  return {
    seen,
    stored,
    state,
    answers,
    /** Rejects the next requests, one by one. */
    refuse: (...next: (Refusal | 'down')[]) => void refusals.push(...next),
    /** Rejects events for which this is true, until it is called again. */
    reject: (which: (item: Item) => boolean, code = 'VALIDATION_ERROR') => {
      rejects = (item) => (which(item) ? code : undefined);
    },
    batches: () => seen.filter(({ path }) => path === '/events/batch').map(({ body }) => body.batch ?? []),
    types: () => [...stored.values()].map(({ eventType }) => eventType),
    // Safe: what the client calls of it.
    fetch: fakeFetch as unknown as typeof fetch,
    /** A beacon that the browser accepted: the service may reject it, and the page gets no response. */
    beacon: (url: string, text: string): void => {
      try {
        answer(note('POST', url, text, null, true));
      } catch {}
    },
  };
};
export type FakeService = ReturnType<typeof fakeService>;
