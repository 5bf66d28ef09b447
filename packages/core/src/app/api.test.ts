// What the compiler says of calls to the library; nothing here runs against a database.
import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type {
  Beckon,
  BundleInput,
  EmailInput,
  EventInput,
  Message,
  PushInput,
  Run,
  SandboxMessage,
  Scope,
  Send,
  SettingsInput,
  SmsInput,
} from '../index.ts';

/** Tells whether `unknown`, or any text at all, would do for a member: then nothing was promised of it. */
type IsVague<T> = unknown extends T ? true : string extends T ? true : false;

describe('inputs of the library', () => {
  it('are refused by the compiler where a key or a type is wrong', () => {
    // @ts-expect-error a mail has a subject
    const noSubject: EmailInput = { to: 'a@example.com', text: 't' };
    // @ts-expect-error nothing is called colour
    const stranger: EmailInput = { to: 'a@example.com', subject: 's', text: 't', colour: 'red' };
    // @ts-expect-error there are two classes
    const otherClass: SmsInput = { to: '+14155550199', body: 'b', class: 'urgent' };
    // @ts-expect-error there are three platforms
    const otherPlatform: PushInput = { userIds: ['u'], title: 't', platforms: ['windows'] };
    // @ts-expect-error an event has a name
    const noName: EventInput = { module: 'm', userId: 'u' };
    // @ts-expect-error there is no such step
    const otherStep: BundleInput['workflows'][number]['steps'] = [{ type: 'send_fax', config: {} }];
    // @ts-expect-error a step to wait counts minutes
    const noMinutes: BundleInput['workflows'][number]['steps'] = [{ type: 'wait', config: { minutes: '5' } }];
    // @ts-expect-error SMTP is no provider of push
    const otherChannel: SettingsInput<'push'> = { smtp: null };
    const wrong = [noSubject, stranger, otherClass, otherPlatform, noName, otherStep, noMinutes, otherChannel];
    expect(wrong).toHaveLength(8);
  });

  it('may be constants that nobody can change', () => {
    const mail = { to: ['a@example.com', { email: 'b@example.com', name: 'B' }], subject: 's', text: 't' } as const;
    expectTypeOf(mail).toExtend<EmailInput>();
    const bundle = {
      version: 1,
      exportedAt: '2026-01-01',
      workflows: [
        {
          name: 'W',
          description: null,
          isActive: true,
          trigger: { eventType: 'e', filters: { plan: 'pro' } },
          steps: [{ type: 'send_push', config: { title: 't', actions: [{ id: 'a', title: 'A' }] }, delayMinutes: 5 }],
        },
      ],
    } as const;
    expectTypeOf(bundle).toExtend<BundleInput>();
  });

  it('leave out what has a default', () => {
    expectTypeOf<{ to: string; body: string }>().toExtend<SmsInput>();
    expectTypeOf<{ smtp: { host: string; port: number; from: string } }>().toExtend<SettingsInput<'email'>>();
  });

  it('are none of them unknown', () => {
    type Body<Call> = Call extends (scope: never, body: infer B, ...rest: never) => unknown ? B : never;
    type Bodies =
      | Body<Beckon['events']['accept' | 'identify' | 'acceptBatch']>
      | Body<Beckon['email']['send']>
      | Body<Beckon['push'][keyof Beckon['push']]>
      | Body<Beckon['sms']['send']>
      | Body<Beckon['tokens']['register']>
      | Body<Beckon['workflows']['importBundle' | 'create']>;
    expectTypeOf<IsVague<Bodies>>().toEqualTypeOf<false>();
    expectTypeOf<IsVague<Parameters<Beckon['settings']['put']>[2]>>().toEqualTypeOf<false>();
  });
});

describe('outputs of the library', () => {
  it('name every value of what is closed', () => {
    type Closed = [
      Send['status'],
      Send['source'],
      Send['class'],
      Message['status'],
      Message['role'],
      NonNullable<Message['reason']>,
      NonNullable<Message['platform']>,
      Run['status'],
      NonNullable<Run['outcome']>,
      NonNullable<Run['exitReason']>,
    ];
    expectTypeOf<IsVague<Closed[number]>>().toEqualTypeOf<false>();
    expectTypeOf<'sent'>().toExtend<Send['status']>();
    expectTypeOf<'delivered'>().toExtend<Message['status']>();
    expectTypeOf<'delivered'>().not.toExtend<Send['status']>();
  });

  it('tell by the channel what the sandbox caught', () => {
    const subjectOf = (caught: SandboxMessage): string | null =>
      caught.channel === 'email' ? caught.content.subject : null;
    expectTypeOf(subjectOf).returns.toEqualTypeOf<string | null>();
    // @ts-expect-error a text message has no subject
    const wrong = (caught: SandboxMessage) => caught.channel === 'sms' && caught.content.subject;
    expect([subjectOf, wrong]).toHaveLength(2);
  });

  it('give the settings of a channel under the names of its providers', () => {
    expectTypeOf<Awaited<ReturnType<Beckon['settings']['get']>>>().not.toBeAny();
    const names = async ({ settings }: Beckon, scope: Scope) => {
      const email = await settings.get(scope, 'email');
      expectTypeOf(email).toHaveProperty('smtp');
      expectTypeOf(email).not.toHaveProperty('apns');
    };
    expect(names).toBeTypeOf('function');
  });
});

describe('the types of the library', () => {
  it('need none of its database drivers', () => {
    const from = /^(?:import|export)\s[^'"`;]*?\sfrom '([^']+)'/gm;
    const files = [new URL('./api.ts', import.meta.url).href];
    const packages = new Set<string>();
    for (const file of files)
      for (const [, to = ''] of readFileSync(new URL(file), 'utf8').matchAll(from)) {
        const next = new URL(to, file).href;
        if (!to.startsWith('.')) packages.add(to);
        else if (!files.includes(next)) files.push(next);
      }
    expect(files.length).toBeGreaterThan(20);
    expect([...packages].filter((name) => /^(?:drizzle-orm|pg|better-sqlite3)/.test(name))).toEqual([]);
  });
});
