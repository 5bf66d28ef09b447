// Compile-time checks of calls to the library; nothing here runs against a database.
import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type {
  Audience,
  AudienceInput,
  Beckon,
  BundleInput,
  DryRun,
  EmailInput,
  EventInput,
  Message,
  OutboxMessage,
  Predicate,
  ProjectClient,
  PushInput,
  Run,
  Scope,
  Send,
  SettingsInput,
  SmsInput,
  SmsSend,
  WebhookEvent,
  WebhookInput,
} from '../index.ts';

/** True if a member has the type `unknown` or any text, so that its type promises nothing. */
type IsVague<T> = unknown extends T ? true : string extends T ? true : false;

/** Names of functions that answer a bare array, in an interface and its groups. */
type ArrayAnswers<Api> = {
  [Name in keyof Api & string]: Api[Name] extends (...args: never) => infer Answer
    ? Awaited<Answer> extends readonly unknown[]
      ? Name
      : never
    : Api[Name] extends object
      ? ArrayAnswers<Api[Name]>
      : never;
}[keyof Api & string];

describe('lists of the library', () => {
  it('every list is an object with data, never a bare array', () => {
    expectTypeOf<ArrayAnswers<Beckon>>().toBeNever();
    expectTypeOf<ArrayAnswers<{ group: { list(): Promise<readonly string[]> } }>>().toEqualTypeOf<'list'>();
  });
});

describe('library inputs', () => {
  it('inputs with a wrong key or type do not compile', () => {
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

  it('inputs may be read-only constants', () => {
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

  it('inputs may omit fields with a default', () => {
    expectTypeOf<{ to: string; body: string }>().toExtend<SmsInput>();
    expectTypeOf<{ smtp: { host: string; port: number; from: string } }>().toExtend<SettingsInput<'email'>>();
  });

  it('no input has the type unknown', () => {
    type Body<Call> = Call extends (scope: never, body: infer B, ...rest: never) => unknown ? B : never;
    type Bodies =
      | Body<Beckon['events']['track' | 'identify' | 'batch']>
      | Body<Beckon['email']['send']>
      | Body<Beckon['push'][keyof Beckon['push']]>
      | Body<Beckon['sms']['send']>
      | Body<Beckon['tokens']['register']>
      | Body<Beckon['workflows']['importBundle' | 'create']>;
    expectTypeOf<IsVague<Bodies>>().toEqualTypeOf<false>();
    expectTypeOf<IsVague<Parameters<Beckon['settings']['update']>[2]>>().toEqualTypeOf<false>();
  });
});

describe('sends', () => {
  it('sends without recipients or with two kinds of them do not compile', () => {
    // @ts-expect-error there is no recipient
    const nobody: EmailInput = { subject: 's', text: 't' };
    // @ts-expect-error to and userIds exclude each other
    const both: EmailInput = { to: 'a@example.com', userIds: ['u'], subject: 's', text: 't' };
    // @ts-expect-error copies are for an email with one `to`
    const copies: EmailInput = { userIds: ['u'], cc: 'a@example.com', subject: 's', text: 't' };
    // @ts-expect-error there is no recipient
    const noPerson: SmsInput = { body: 'b' };
    // @ts-expect-error to and audienceId exclude each other
    const bothSms: SmsInput = { to: '+14155550199', audienceId: 'a', body: 'b' };
    // @ts-expect-error there is no recipient
    const noDevice: PushInput = { title: 't' };
    // @ts-expect-error tokens and userIds exclude each other
    const bothPush: PushInput = { tokens: ['t'], userIds: ['u'], title: 't' };
    expect([nobody, both, copies, noPerson, bothSms, noDevice, bothPush]).toHaveLength(7);
  });

  it('only a body with dryRun: true is answered with a DryRun', () => {
    const answers = ({ email, sms, push }: Beckon, scope: Scope, dryRun: boolean) => {
      const mail = { to: 'a@example.com', subject: 's', text: 't' } as const;
      expectTypeOf(email.send(scope, mail)).resolves.toEqualTypeOf<Send>();
      expectTypeOf(email.send(scope, { ...mail, dryRun: false })).resolves.toEqualTypeOf<Send>();
      expectTypeOf(email.send(scope, { ...mail, dryRun: true })).resolves.toEqualTypeOf<DryRun>();
      expectTypeOf(email.send(scope, { ...mail, dryRun })).resolves.toEqualTypeOf<Send | DryRun>();
      expectTypeOf(sms.send(scope, { to: '+14155550199', body: 'b' })).resolves.toEqualTypeOf<SmsSend>();
      expectTypeOf(push.sendToAudience(scope, { audienceId: 'a', title: 't' })).resolves.toEqualTypeOf<Send>();
    };
    expect(answers).toBeTypeOf('function');
  });
});

describe('predicate types', () => {
  it('predicates have their exact type in inputs and answers', () => {
    const right: AudienceInput = { name: 'A', predicate: { all: [{ trait: 'plan', op: 'eq', value: 'pro' }] } };
    // @ts-expect-error there is no such operator
    const operator: AudienceInput = { name: 'A', predicate: { trait: 'plan', op: 'equals', value: 'pro' } };
    // @ts-expect-error a number is compared with a number
    const value: AudienceInput = { name: 'A', predicate: [{ trait: 'age', op: 'gt', value: '18' }] };
    // @ts-expect-error conditions of workflows alone have paths
    const path: AudienceInput = { name: 'A', predicate: { path: 'event.total', op: 'set' } };
    expectTypeOf<Audience['predicate']>().toEqualTypeOf<Predicate | null>();
    expect([right, operator, value, path]).toHaveLength(4);
  });
});

describe('client of a scope', () => {
  it("the hand-written functions of a scope's client return the same as those of Beckon", () => {
    type Answered<Call> = Call extends (...args: never) => infer Answer ? Answer : never;
    type Client = ProjectClient;
    expectTypeOf<Answered<Client['abTests']['create']>>().toEqualTypeOf<Answered<Beckon['abTests']['create']>>();
    expectTypeOf<Answered<Client['abTests']['update']>>().toEqualTypeOf<Answered<Beckon['abTests']['update']>>();
    expectTypeOf<Answered<Client['suppressions']['add']>>().toEqualTypeOf<Answered<Beckon['suppressions']['add']>>();
    expectTypeOf<Answered<Client['suppressions']['remove']>>().toEqualTypeOf<
      Answered<Beckon['suppressions']['remove']>
    >();
    const settings = (client: Client, beckon: Beckon, scope: Scope) => {
      expectTypeOf(client.settings.get('email')).toEqualTypeOf(beckon.settings.get(scope, 'email'));
      expectTypeOf(client.settings.update('sms', {})).toEqualTypeOf(beckon.settings.update(scope, 'sms', {}));
    };
    const templates = (client: Client, beckon: Beckon, scope: Scope) => {
      expectTypeOf(client.templates.get('push', 'id')).toEqualTypeOf(beckon.templates.get(scope, 'push', 'id'));
      expectTypeOf(client.templates.preview('sms', 'id')).toEqualTypeOf(beckon.templates.preview(scope, 'sms', 'id'));
    };
    expect([settings, templates]).toHaveLength(2);
  });
});

describe('webhook events', () => {
  it('webhook events have the data of their type, and misspelt names do not compile', () => {
    const right: WebhookInput = { url: 'https://shop.example', events: ['push.sent'] };
    // @ts-expect-error no event has this name
    const misspelt: WebhookInput = { url: 'https://shop.example', events: ['push.send'] };
    const urlOf = (event: WebhookEvent): string | null => (event.type === 'email.clicked' ? event.data.url : null);
    // @ts-expect-error an email that was opened has no URL
    const wrong = (event: WebhookEvent) => event.type === 'email.opened' && event.data.url;
    // @ts-expect-error no event has this name
    const unknown = (event: WebhookEvent) => event.type === 'email.open';
    expect([right, misspelt, urlOf, wrong, unknown]).toHaveLength(5);
  });
});

describe('library outputs', () => {
  it('closed sets of answers are unions of their values', () => {
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

  it('the channel of an outbox message determines its content type', () => {
    const subjectOf = (caught: OutboxMessage): string | null =>
      caught.channel === 'email' ? caught.content.subject : null;
    expectTypeOf(subjectOf).returns.toEqualTypeOf<string | null>();
    // @ts-expect-error a text message has no subject
    const wrong = (caught: OutboxMessage) => caught.channel === 'sms' && caught.content.subject;
    expect([subjectOf, wrong]).toHaveLength(2);
  });

  it('settings of a channel have the names of its providers', () => {
    expectTypeOf<Awaited<ReturnType<Beckon['settings']['get']>>>().not.toBeAny();
    const names = async ({ settings }: Beckon, scope: Scope) => {
      const email = await settings.get(scope, 'email');
      expectTypeOf(email).toHaveProperty('smtp');
      expectTypeOf(email).not.toHaveProperty('apns');
    };
    expect(names).toBeTypeOf('function');
  });
});

describe('library types', () => {
  it('public types import no database driver', () => {
    const from = /^(?:import|export)\s[^'"`;]*?\sfrom '([^']+)'/gm;
    const files = ['./api.ts', '../identity.ts'].map((file) => new URL(file, import.meta.url).href);
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
