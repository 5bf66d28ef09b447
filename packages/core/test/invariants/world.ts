import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Beckon,
  type BeckonOptions,
  type Channel,
  createBeckon,
  type EmailInput,
  newMasterKey,
  type Scope,
  type SendOutcome,
  type SmsInput,
  virtualClock,
} from '../../src/index.ts';
import { openTestDatabase } from '../support/database.ts';
import { openReceiver, type Received } from '../support/webhooks/receiver.ts';

/** What a provider received; `at` by the clock of the test. */
type Handed = { readonly channel: Channel; readonly to: string; readonly text: string; readonly at: Date };

/** What the providers of one organization received, and their responses. */
type Place = {
  readonly path: string;
  readonly handed: Handed[];
  readonly received: Received[];
  readonly answers: {
    provider: (one: Handed) => SendOutcome | Promise<SendOutcome>;
    receiver: (one: Received) => number;
  };
};

const START = '2026-03-02T12:00:00.000Z';
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
const ACCEPTED: SendOutcome = { result: 'accepted', providerId: 'p1' };

/**
 * The service, with custom transports in `prod` that respond as a test decides, and a receiver of webhooks on loopback.
 * One service is used by all tests of a file; each test has its own organizations (`world`).
 */
export const openService = async (options: Partial<BeckonOptions> = {}) => {
  const clock = virtualClock(START);
  // A file: in-memory SQLite belongs to one connection, and the service opens its own.
  const folder = mkdtempSync(join(tmpdir(), 'beckon-invariants-'));
  const database = await openTestDatabase({ url: `sqlite:${join(folder, 'beckon.db')}`, clock });
  const places = new Map<string, Place>();
  const receiver = await openReceiver((got) => {
    const place = [...places.values()].find(({ path }) => got.path.startsWith(path));
    place?.received.push(got);
    return { status: place?.answers.receiver(got) ?? 500, headers: { location: `${got.path}/elsewhere` } };
  });
  const give = async ({ orgId }: Scope, channel: Channel, to: string, text: string): Promise<SendOutcome> => {
    const one = { channel, to, text, at: clock.now() };
    const place = places.get(orgId);
    place?.handed.push(one);
    return place?.answers.provider(one) ?? ACCEPTED;
  };
  const courier = { name: 'courier', maxInFlight: 5, close: async () => undefined };
  const transports: BeckonOptions['transports'] = {
    email: {
      name: 'courier',
      from: { email: 'shop@example.com', name: 'Shop' },
      make: (scope) => ({
        ...courier,
        send: ({ to, text, html }) => give(scope, 'email', to.email, html ?? text ?? ''),
      }),
    },
    sms: {
      name: 'courier',
      make: (scope) => ({ ...courier, send: ({ to, body }) => give(scope, 'sms', to, body) }),
    },
  };
  const masterKey = newMasterKey();
  const opened: Beckon[] = [];
  /** One more process of the same service. */
  const open = async (more: Partial<BeckonOptions> = {}): Promise<Beckon> => {
    const one = await createBeckon({
      ...{ db: database.url, masterKey, clock, transports, publicUrl: 'https://b.example' },
      outbound: { allowCidrs: ['127.0.0.0/8'] },
      ...options,
      ...more,
    });
    opened.push(one);
    return one;
  };
  const beckon = await open();
  const project = async (name: string) => {
    const { id: orgId } = await beckon.tenancy.createOrg({ name });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    return { orgId, projectId };
  };
  const idOf = (answer: object): string => ('id' in answer ? String(answer.id) : '');

  const world = async () => {
    const own = await project('Acme');
    const prod = await beckon.tenancy.scope({ ...own, environment: 'prod' });
    const test = await beckon.tenancy.scope({ ...own, environment: 'test' });
    const other = await beckon.tenancy.scope({ ...(await project('Other')), environment: 'prod' });
    const place: Place = {
      path: `/${own.orgId}`,
      handed: [],
      received: [],
      answers: { provider: () => ACCEPTED, receiver: () => 200 },
    };
    places.set(own.orgId, place);
    return {
      ...{ beckon, clock, prod, test, other, masterKey, folder, open, idOf },
      ...{ url: database.url, hook: `http://127.0.0.1:${receiver.port}${place.path}` },
      /** What the providers of `prod` and the receiver of webhooks received, and their responses. */
      ...{ handed: place.handed, received: place.received, answers: place.answers },
      /** Advances the time and runs due jobs. */
      pass: async (ms = 0): Promise<void> => {
        clock.advance(ms);
        await beckon.worker.drain();
      },
      mail: async (body: Partial<EmailInput> = {}, scope = prod): Promise<string> => {
        // Safe: the missing parts have a value here.
        const whole = { subject: 'Hello', text: 'There', ...body } as EmailInput;
        return idOf(await beckon.email.send(scope, whole));
      },
      text: async (body: Partial<SmsInput> = {}, scope = prod): Promise<string> => {
        // Safe: the missing parts have a value here.
        const whole = { body: 'There', from: '+15005550006', ...body } as SmsInput;
        return idOf(await beckon.sms.send(scope, whole));
      },
      /** The only message of a send. */
      messageOf: async (channel: Channel, sendId: string, scope = prod) => {
        const { data } = await beckon.sends.messages(scope, channel, sendId);
        const [message] = data;
        if (!message || data.length > 1) throw new Error(`the send has ${data.length} messages`);
        return message;
      },
    };
  };
  return {
    ...{ beckon, world },
    close: async (): Promise<void> => {
      for (const one of opened) await one.close();
      await receiver.close();
      await database.close();
      rmSync(folder, { recursive: true });
    },
  };
};

export type Service = Awaited<ReturnType<typeof openService>>;
export type World = Awaited<ReturnType<Service['world']>>;
