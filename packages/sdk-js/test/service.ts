import { setTimeout as sleep } from 'node:timers/promises';
import { type Place, place, type Running } from '../../cli/test/beckon.ts';
import { freePorts } from '../../core/test/support/free-ports.ts';

/** The real service on its own file, which can be killed and restarted at the same address. */
export type Service = {
  readonly url: string;
  readonly publicKey: string;
  readonly secretKey: string;
  readonly at: Place;
  start(): Promise<void>;
  /** SIGKILL: nothing in progress is finished. */
  kill(): Promise<void>;
  isUp(): boolean;
  /** How often each message id is stored. Reads only rows that are new since the last call. */
  stored(): Promise<ReadonlyMap<string, number>>;
  get(path: string): Promise<{ readonly data: unknown; readonly pagination?: { readonly nextCursor: string | null } }>;
  remove(): Promise<void>;
};

/** Attempts at a list that is rejected under load. Chosen: more than a busy machine needs. */
const TIMES = 4;

type Row = { readonly id: string; readonly messageId: string | null };

export const openService = async (): Promise<Service> => {
  const at = place();
  const init = await at.run(['init', '--org', 'Acme', '--project', 'Shop', '--json']);
  if (init.code !== 0) throw new Error(`beckon init failed: ${init.err}`);
  const { keys }: { keys: { name: string; secret: string }[] } = JSON.parse(init.out).data;
  const keyOf = (name: string): string => keys.find((key) => key.name === name)?.secret ?? '';
  const [publicKey, secretKey] = [keyOf('pk_test'), keyOf('sk_test')];
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  let running: Running | null = null;
  const counts = new Map<string, number>();
  const known = new Set<string>();

  const get: Service['get'] = async (path) => {
    const ask = (): Promise<Response> => fetch(`${url}/api/v1${path}`, { headers: { 'x-api-key': secretKey } });
    let response = await ask();
    // Lists are shed first when a busy machine blocks the event loop, as it does while a service starts.
    for (let times = 1; response.status === 503 && times < TIMES; times += 1) {
      await response.arrayBuffer();
      await sleep(Number(response.headers.get('retry-after') ?? 1) * 1_000);
      response = await ask();
    }
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
    // Safe: the envelope of every response.
    return (await response.json()) as Awaited<ReturnType<Service['get']>>;
  };

  const service: Service = {
    url,
    publicKey,
    secretKey,
    at,
    get,
    start: async () => {
      running = at.start(['serve', '--port', String(port)]);
      await running.says(/listening on/);
    },
    kill: async () => {
      running?.child.kill('SIGKILL');
      await running?.ended;
      running = null;
    },
    isUp: () => running !== null,
    stored: async () => {
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await get(`/events?limit=200${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
        // Safe: the rows of this route, as the API describes them.
        const rows = page.data as readonly Row[];
        const fresh = rows.filter(({ id }) => !known.has(id));
        for (const { id, messageId } of fresh) {
          known.add(id);
          if (messageId) counts.set(messageId, (counts.get(messageId) ?? 0) + 1);
        }
        cursor = fresh.length < rows.length ? null : (page.pagination?.nextCursor ?? null);
      }
      return counts;
    },
    remove: () => at.remove(),
  };
  await service.start();
  return service;
};
