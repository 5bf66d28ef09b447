import { describe, expect, it } from 'vitest';
import { tablesOf } from '../../../core/src/app/tables.ts';
import { openDatabase } from '../../../core/src/database/open.ts';
import { uuidV7Ids } from '../../../core/src/foundation/ids.ts';
import { noMeter } from '../../../core/src/foundation/meter.ts';
import { queue, worker } from '../../../core/src/jobs/worker.ts';
import { emailChannel } from '../../../core/src/messaging/email/email.ts';
import { pushChannel } from '../../../core/src/messaging/push/channel.ts';
import type { SendRequest } from '../../../core/src/messaging/sends/schema.ts';
import { sendingEngine } from '../../../core/src/messaging/sends/sending.ts';
import { smsChannel } from '../../../core/src/messaging/sms/sms.ts';
import { emitter } from '../../../core/src/people/events/emit.ts';
import { eventStatements } from '../../../core/src/people/events/statements.ts';
import { scopeDirectory } from '../../../core/src/platform/tenancy/scope-directory.ts';
import { tenancyStatements } from '../../../core/src/platform/tenancy/statements.ts';
import { fakeCredentials } from '../../../core/test/support/sends/credentials.ts';
import { deploy, type Engine } from '../kill/deployment.ts';
import { killSeed } from '../kill/random.ts';
import { ENGINES, print } from './figures.ts';
import { shiftedClock } from './shifted-clock.ts';
import { until } from './wait.ts';

/** One claim. Source: the reliability promises (256 rows). */
const ROWS = 256;
/** Attempts of a batch of 256 with one throwing row until bisection isolates it, and of that row until it is dead-lettered. */
const MOST_CALLS = 1 + 2 * Math.log2(ROWS) + 4;
const PROMPT_MS = 5_000;
const POLL_MS = 20;
/** Clock advance for each retry. */
const SKIP_MS = 5_000;

const THROWS = 'thrower@example.test';
/** A message whose transport always throws. */
const BREAKS = 'breaker@example.test';

const seed = killSeed();

/** The message queue with test doubles: a channel that throws while rendering one email, and a throwing transport. */
const openSending = async (url: string) => {
  const clock = shiftedClock();
  const { storage, dialect } = await openDatabase({ url, clock });
  const tables = tablesOf(dialect);
  const ids = uuidV7Ids(clock);
  const logged: string[] = [];
  const log = {
    info: () => undefined,
    warn: (_: unknown, message: string) => void logged.push(message),
    error: (_: unknown, message: string) => void logged.push(message),
  };
  const scopes = scopeDirectory({ storage, hot: tenancyStatements(tables) });
  const credentials = fakeCredentials();
  const mail = emailChannel();
  const sending = sendingEngine(
    { storage, tables, clock, ids, meter: noMeter, tracing: null, scopes, log, keyring: { openText: async () => '' } },
    {
      random: () => 0.5,
      loadProfiles: async () => new Map(),
      channels: {
        push: pushChannel({ storage, tables, scopes }),
        email: {
          ...mail,
          render: (content, input) => {
            if (input.to.address === THROWS) throw new Error('this mail cannot even be looked at');
            return mail.render(content, input);
          },
        },
        sms: smsChannel(),
      },
      credentials: credentials.source,
      emitter: emitter({ hot: eventStatements(tables), scopes, listeners: [] }),
      causes: async () => () => ({ depth: 0 }),
    },
  );
  const calls: number[] = [];
  const { messages, sends } = sending.registrations;
  const options = { storage, log, pollMs: POLL_MS };
  const work = worker([
    queue(options, {
      ...messages,
      process: (rows, ...rest) => {
        calls.push(rows.length);
        return messages.process(rows, ...rest);
      },
    }),
    queue(options, sends),
  ]);
  return { clock, storage, scopes, sending, credentials, work, calls, logged };
};

const draftTo = (addresses: readonly string[]): SendRequest => ({
  channel: 'email',
  source: 'api',
  class: 'transactional',
  title: 'News',
  content: { subject: 'News', text: 'There is news.', from: { email: 'news@shop.test', name: null } },
  variables: {},
  recipients: addresses.map((address) => ({ kind: 'address', address, name: null })),
});

const play = async (engine: Engine): Promise<void> => {
  const deployment = await deploy(engine, []);
  const { clock, storage, scopes, sending, credentials, work, calls, logged } = await openSending(deployment.url);
  try {
    const scope = await scopes.find({ ...deployment.project, environment: 'prod' });
    if (!scope) throw new Error('the project is not there');
    const times = new Map<string, number>();
    credentials.configure(
      { ...scope, channel: 'email' },
      (message) => {
        const address = 'envelope' in message ? message.envelope.to : '';
        times.set(address, (times.get(address) ?? 0) + 1);
        if (address === BREAKS) throw new Error('a defect of a transport');
        return { result: 'accepted', providerId: null };
      },
      { maxInFlight: ROWS },
    );
    const good = Array.from({ length: ROWS - 2 }, (_, at) => `good-${at}@example.test`);
    const list = [...good.slice(0, 100), THROWS, BREAKS, ...good.slice(100)];
    for (let from = 0; from < list.length; from += 64)
      await sending.submit(scope, draftTo(list.slice(from, from + 64)));

    const statuses = async (): Promise<Map<string, string>> => {
      const rows = await deployment.query<{ address: string; status: string; code: string | null }>(
        'select address, status, error_code as code from messages',
      );
      return new Map(rows.map(({ address, status, code }) => [address, `${status} ${code ?? ''}`.trim()]));
    };
    const begun = performance.now();
    work.start();
    await until('the others are sent', async () => {
      const now = await statuses();
      return good.every((address) => now.get(address) === 'sent');
    });
    const othersMs = performance.now() - begun;
    const first = [...calls];
    await until(
      'both have ended',
      async () => {
        clock.skip(SKIP_MS);
        const now = await statuses();
        return [THROWS, BREAKS].every((address) => now.get(address)?.startsWith('failed'));
      },
      { everyMs: 100 },
    );
    await sending.submit(scope, draftTo(['after@example.test']));
    await until('the worker works', async () => (await statuses()).get('after@example.test') === 'sent');
    await work.stop();

    const ended = await statuses();
    const figures = {
      rows: ROWS,
      handleCalls: first.length,
      largest: Math.max(...first),
      othersMs: othersMs.toFixed(0),
      twice: good.filter((address) => times.get(address) !== 1).length,
      thrower: ended.get(THROWS) ?? '',
      handedOver: times.get(THROWS) ?? 0,
      breaker: ended.get(BREAKS) ?? '',
      triedBreaker: times.get(BREAKS) ?? 0,
      throws: logged.filter((message) => message === 'work threw').length,
    };
    print('poison batch', engine, figures, seed);
    expect(figures).toMatchObject({ largest: ROWS, twice: 0, handedOver: 0 });
    expect(figures).toMatchObject({ thrower: 'failed threw', breaker: 'failed transport_threw' });
    expect(figures.handleCalls).toBeLessThanOrEqual(MOST_CALLS);
    expect(figures.throws).toBe(5);
    expect(figures.triedBreaker).toBe(6);
    expect(othersMs).toBeLessThan(PROMPT_MS);
  } finally {
    await work.stop({ timeoutMs: 0 });
    await sending.close();
    await storage.close();
    await deployment.remove();
  }
};

describe('a row that makes its batch throw', () => {
  it.for(ENGINES)(
    'a throwing row is isolated by bisection and dead-lettered, and the rest of its batch is sent once, on %s',
    (engine) => play(engine),
  );
});
