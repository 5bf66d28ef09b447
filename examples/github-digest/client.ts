/** The part of the HTTP API that the tour needs. `path` is below `/api/v1`. */
export type Client = {
  readonly url: string;
  /** Does not throw for an error response. */
  request(
    method: string,
    path: string,
    body?: string,
    more?: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly text: string }>;
  /** `data` of the response. Throws unless it is a success. */
  post<Data>(path: string, body: string): Promise<Data>;
  /** `data` of the response. `headers`: more than the API key. Throws unless it is a success. */
  get<Data>(path: string, headers?: Readonly<Record<string, string>>): Promise<Data>;
  /** All rows of a list, page by page. Throws unless it is a success. */
  list<Row>(path: string): Promise<Row[]>;
};

type Envelope<Data> = { readonly data: Data; readonly pagination?: { readonly nextCursor: string | null } };

const ANSWER_WITHIN_MS = 15_000;
/** Rows of a page. Source: contract, Lists. */
const MAX_PAGE = 200;

/** A client of one service. `key` is an API key. */
export const clientOf = (url: string, key: string): Client => {
  const request: Client['request'] = async (method, path, body, more = {}) => {
    const headers = {
      'x-api-key': key,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...more,
    };
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const answer = await fetch(`${url}/api/v1${path}`, { method, headers, signal, ...(body && { body }) });
    return { status: answer.status, text: await answer.text() };
  };
  const succeed = async <Data>(
    method: string,
    path: string,
    body?: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Envelope<Data>> => {
    const { status, text } = await request(method, path, body, headers);
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    return JSON.parse(text);
  };
  return {
    url,
    request,
    post: async <Data>(path: string, body: string) => (await succeed<Data>('POST', path, body)).data,
    get: async <Data>(path: string, headers?: Readonly<Record<string, string>>) =>
      (await succeed<Data>('GET', path, undefined, headers)).data,
    list: async <Row>(path: string) => {
      const rows: Row[] = [];
      let from = '';
      for (;;) {
        const query = `${path.includes('?') ? '&' : '?'}limit=${MAX_PAGE}${from}`;
        const { data, pagination } = await succeed<Row[]>('GET', `${path}${query}`);
        rows.push(...data);
        if (typeof pagination?.nextCursor !== 'string') return rows;
        from = `&cursor=${encodeURIComponent(pagination.nextCursor)}`;
      }
    },
  };
};
