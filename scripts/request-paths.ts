// The seven paths that `npm run paths` measures: one service on SQLite in memory, and a project for each path.
import { type Beckon, createBeckon, newMasterKey, type Scope, virtualClock } from '@beckon/core';
import { createHandler } from '@beckon/http';
import { SENDGRID_KEY, signSendgrid } from '../packages/core/test/support/email/callbacks/signers.ts';
import { apnsPeer, apnsToken } from '../packages/core/test/support/transports/apns-peer.ts';
import { TEST_CA } from '../packages/core/test/support/transports/tls/fixtures.ts';
import { openReceiver } from '../packages/core/test/support/webhooks/receiver.ts';

/** One path: its nth request, its preparation and its expected result. */
export type Steps = {
  readonly prepare?: (nth: number) => Promise<void>;
  /** Resolves when the path has reached its end. */
  readonly request: (nth: number) => Promise<void>;
  /** False: the request did not reach the end of its path. */
  readonly hasEnded: (nth: number) => boolean | Promise<boolean>;
};
export type Path = Steps & { readonly name: string };

const HOUR_MS = 3_600_000;

/** Opens the service and the stand-ins for providers. */
export const openPaths = async () => {
  const clock = virtualClock('2026-03-01T12:00:00.000Z');
  const apns = await apnsPeer({ clock, environment: 'production' });
  const receiver = await openReceiver();
  let mails = 0;
  const beckon: Beckon = await createBeckon({
    db: 'sqlite::memory:',
    masterKey: newMasterKey(),
    clock,
    publicUrl: 'https://push.example',
    outbound: {
      allowCidrs: ['127.0.0.0/8'],
      ca: TEST_CA,
      apns: { production: apns.origin, sandbox: apns.origin },
    },
    transports: {
      email: {
        name: 'courier',
        from: { email: 'shop@example.com', name: null },
        make: () => ({
          name: 'courier',
          maxInFlight: 5,
          send: async () => ({ result: 'accepted', providerId: `g${++mails}` }),
          close: async () => undefined,
        }),
      },
    },
  });
  const handler = createHandler(beckon, { clock });

  /** A separate project, and a function that sends requests to it. */
  const project = async (name: string) => {
    const { id: orgId } = await beckon.tenancy.createOrg({ name });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name });
    const scope: Scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
    const grants = [{ orgId, projectId }];
    const { secret } = await beckon.tenancy.createKey({ kind: 'secret', environment: 'prod', grants });
    const post = async (path: string, body: unknown): Promise<void> => {
      const request = new Request(`http://127.0.0.1/api/v1${path}`, {
        method: 'POST',
        headers: { 'x-api-key': secret, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const response = await handler.fetch(request);
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    };
    return { scope, post };
  };
  type Project = Awaited<ReturnType<typeof project>>;
  const event = (eventType: string, nth: number) => ({ module: 'shop', eventType, userId: `user-${nth}` });
  const startWorkflow = (scope: Scope, eventType: string, step: { type: string; config: object }) =>
    beckon.workflows.create(scope, {
      name: eventType,
      trigger: { eventType },
      // Safe: the service validates steps.
      steps: [step] as never,
      isActive: true,
    });
  const isWaiting = async (scope: Scope, nth: number): Promise<boolean> =>
    (await beckon.runs.list(scope, { userId: `user-${nth}` })).data[0]?.status === 'waiting';
  const WAIT = { type: 'wait', config: { minutes: 60 } };
  const MAIL = { type: 'send_email', config: { subject: 'Hello', text: 'Thank you', to: 'ann@example.com' } };

  const toRow = async ({ scope, post }: Project): Promise<Steps> => ({
    request: (nth) => post('/events', event('viewed', nth)),
    hasEnded: async (nth) => (await beckon.profiles.events(scope, `user-${nth}`, {})).data.length === 1,
  });

  const toStep = async ({ scope, post }: Project): Promise<Steps> => {
    await startWorkflow(scope, 'bought', WAIT);
    return {
      request: async (nth) => {
        await post('/events', event('bought', nth));
        await beckon.worker.drain();
      },
      hasEnded: (nth) => isWaiting(scope, nth),
    };
  };

  const toMail = async ({ scope, post }: Project): Promise<Steps> => {
    await startWorkflow(scope, 'bought', MAIL);
    let before = 0;
    return {
      prepare: async () => {
        before = mails;
      },
      request: async (nth) => {
        await post('/events', event('bought', nth));
        await beckon.worker.drain();
      },
      hasEnded: () => mails === before + 1,
    };
  };

  const toApns = async ({ scope, post }: Project): Promise<Steps> => {
    await beckon.settings.update(scope, 'push', { apns: { ...apns.settings(), environment: 'production' } });
    return {
      prepare: async (nth) => {
        const token = apnsToken('ok', `device-${nth}`);
        const userId = `user-${nth}`;
        await beckon.tokens.register(scope, { token, userId, platform: 'ios', apnsEnvironment: 'production' });
      },
      request: async (nth) => {
        await post('/push/send', { userIds: [`user-${nth}`], title: 'Hello', body: 'There' });
        await beckon.worker.drain();
      },
      hasEnded: (nth) => apns.arrived().length === nth + 1,
    };
  };

  const toAudience = async ({ scope, post }: Project): Promise<Steps> => {
    await startWorkflow(scope, 'audience.entered', WAIT);
    await beckon.audiences.create(scope, { name: 'Pro', predicate: { trait: 'plan', op: 'eq', value: 'pro' } });
    await beckon.worker.drain();
    clock.advance(HOUR_MS);
    await beckon.worker.drain();
    return {
      request: async (nth) => {
        await post('/identify', { userId: `user-${nth}`, traits: { plan: 'pro' } });
        await beckon.worker.drain();
      },
      hasEnded: (nth) => isWaiting(scope, nth),
    };
  };

  const toWebhook = async ({ scope, post }: Project): Promise<Steps> => {
    await beckon.webhooks.create(scope, { url: receiver.url, events: ['user.identified'] });
    return {
      request: async (nth) => {
        await post('/identify', { userId: `user-${nth}`, traits: { plan: 'pro' } });
        await beckon.worker.drain();
      },
      hasEnded: (nth) => receiver.got.length === nth + 1,
    };
  };

  const toSuppression = async ({ scope }: Project): Promise<Steps> => {
    await beckon.settings.update(scope, 'email', { callbacks: { sendgrid: { publicKey: SENDGRID_KEY } } });
    const addressOf = (nth: number): string => `bounced-${nth}@example.com`;
    return {
      prepare: async (nth) => {
        await beckon.email.send(scope, { to: addressOf(nth), subject: 'Hello', text: 'There' });
        await beckon.worker.drain();
      },
      request: async (nth) => {
        const report = {
          ...{ event: 'bounce', type: 'bounce', email: addressOf(nth), sg_event_id: `bounce-${nth}` },
          ...{ timestamp: Math.floor(clock.now().getTime() / 1_000), sg_message_id: `g${mails}.filter0001.1-0` },
        };
        const { headers, rawBody } = signSendgrid(`${JSON.stringify([report])}\r\n`, clock.now());
        const url = 'http://127.0.0.1/api/v1/email/webhooks/sendgrid';
        await handler.fetch(new Request(url, { method: 'POST', headers, body: Buffer.from(rawBody) }));
      },
      hasEnded: async (nth) => (await beckon.suppressions.list(scope, 'email', {})).data.length === nth + 1,
    };
  };

  const all: readonly (readonly [name: string, set: (project: Project) => Promise<Steps>])[] = [
    ['POST /events -> row', toRow],
    ['POST /events -> first workflow step', toStep],
    ['event -> send_email step -> mail', toMail],
    ['POST /push/send -> APNs', toApns],
    ['identify -> audience entered -> workflow', toAudience],
    ['identify -> outbound webhook posted', toWebhook],
    ['bounce callback -> suppression', toSuppression],
  ];
  const paths: Path[] = [];
  for (const [name, set] of all) paths.push({ name, ...(await set(await project(name))) });
  return {
    paths,
    close: async (): Promise<void> => {
      await beckon.close();
      await apns.stop();
      await receiver.close();
    },
  };
};
