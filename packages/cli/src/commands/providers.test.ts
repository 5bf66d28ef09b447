import { describe, expect, it } from 'vitest';
import { cli } from '../../test/support/cli.ts';
import { addTenant, coreError } from '../../test/support/world.ts';

const CANARY = 'canary-4f1d';

const APNS = [
  '--key-file',
  'key.p8',
  '--key-id',
  'ABCDE12345',
  '--team-id',
  'TEAM123456',
  '--topic',
  'com.example.app',
];

/** A project, and a file for every secret of the tests. */
const withFiles = (options: Parameters<typeof cli>[0] = {}) => {
  const program = cli(options);
  addTenant(program.state);
  program.put('key.p8', `-----BEGIN PRIVATE KEY-----\n${CANARY}\n-----END PRIVATE KEY-----\n`);
  program.put('account.json', JSON.stringify({ project_id: 'shop', private_key: CANARY }));
  program.put('url', `smtps://ada%40shop.test:${CANARY}@mail.shop.test\n`);
  program.put('secret', `${CANARY}\n`);
  program.put('token', `${CANARY}-token\n`);
  program.put('empty', '\n');
  return program;
};

const ADD = {
  apns: ['apns', ...APNS],
  fcm: ['fcm', '--service-account', 'account.json'],
  smtp: ['smtp', '--url-file', 'url', '--from', 'shop@shop.test'],
  ses: [
    ...['ses', '--access-key-id', 'AKIA1', '--secret-file', 'secret', '--region', 'eu-central-1'],
    ...['--configuration-set', 'events', '--from', 'shop@shop.test', '--from-name', 'Shop'],
  ],
  sendgrid: ['sendgrid', '--key-file', 'secret', '--region', 'eu', '--from', 'shop@shop.test'],
  postmark: ['postmark', '--token-file', 'secret', '--stream', 'broadcast', '--from', 'shop@shop.test'],
  mailgun: ['mailgun', '--key-file', 'secret', '--domain', 'mg.shop.test', '--from', 'shop@shop.test'],
  resend: ['resend', '--key-file', 'secret', '--from', 'shop@shop.test'],
  twilio: ['twilio', '--account-sid', 'AC1', '--api-key-sid', 'SK1', '--secret-file', 'secret', '--from', '+15550100'],
  telnyx: ['telnyx', '--api-key-file', 'secret', '--from', '+15550100'],
} as const;
const ADDED = Object.entries(ADD);

describe('providers add', () => {
  it.each([
    [
      'apns',
      ADD.apns,
      {
        keyId: 'ABCDE12345',
        teamId: 'TEAM123456',
        key: `-----BEGIN PRIVATE KEY-----\n${CANARY}\n-----END PRIVATE KEY-----`,
        topic: 'com.example.app',
        environment: 'production',
      },
    ],
    ['fcm', ADD.fcm, { serviceAccount: { project_id: 'shop', private_key: CANARY } }],
    [
      'smtp',
      ADD.smtp,
      {
        host: 'mail.shop.test',
        port: 465,
        secure: true,
        user: 'ada@shop.test',
        password: CANARY,
        from: 'shop@shop.test',
      },
    ],
    [
      'ses',
      ADD.ses,
      {
        accessKeyId: 'AKIA1',
        secretAccessKey: CANARY,
        region: 'eu-central-1',
        configurationSet: 'events',
        from: 'shop@shop.test',
        name: 'Shop',
      },
    ],
    ['sendgrid', ADD.sendgrid, { apiKey: CANARY, region: 'eu', from: 'shop@shop.test' }],
    ['postmark', ADD.postmark, { serverToken: CANARY, messageStream: 'broadcast', from: 'shop@shop.test' }],
    ['mailgun', ADD.mailgun, { apiKey: CANARY, domain: 'mg.shop.test', region: 'us', from: 'shop@shop.test' }],
    ['resend', ADD.resend, { apiKey: CANARY, from: 'shop@shop.test' }],
    ['twilio', ADD.twilio, { accountSid: 'AC1', apiKeySid: 'SK1', apiKeySecret: CANARY, from: '+15550100' }],
    ['telnyx', ADD.telnyx, { apiKey: CANARY, from: '+15550100' }],
  ])('`providers add %s` stores the settings in prod', async (provider, argv, settings) => {
    const { run, io, state } = withFiles();
    expect(await run('providers', 'add', ...argv)).toBe(0);
    expect(state.providers.get(provider)).toEqual(settings);
    expect(state.calls[0]).toContain('settings prod acme-org/acme-project');
    expect(io.out()).toBe(`${provider} is configured (...last).\n`);
    expect(io.err()).toContain(`beckon providers test ${provider}`);
    io.remove();
  });

  it('`providers add` accepts optional flags', async () => {
    const { run, io, state } = withFiles();
    await run('providers', 'add', ...ADD.apns, '--apns-environment', 'sandbox');
    await run('providers', 'add', ...ADD.fcm, '--critical-channel', 'alarm');
    await run('providers', 'add', ...ADD.smtp, '--from-name', 'The Shop');
    await run(
      ...['providers', 'add', 'twilio', '--account-sid', 'AC1', '--auth-token-file', 'token'],
      ...['--messaging-service', 'MG1'],
    );
    await run(
      ...['providers', 'add', 'telnyx', '--api-key-file', 'secret'],
      ...['--public-key', 'abc=', '--messaging-profile', 'P1'],
    );
    expect(state.providers.get('apns')).toMatchObject({ environment: 'sandbox' });
    expect(state.providers.get('telnyx')).toEqual({ apiKey: CANARY, publicKey: 'abc=', messagingProfileId: 'P1' });
    expect(state.providers.get('fcm')).toMatchObject({ criticalChannelId: 'alarm' });
    expect(state.providers.get('smtp')).toMatchObject({ name: 'The Shop' });
    expect(state.providers.get('twilio')).toEqual({
      accountSid: 'AC1',
      authToken: `${CANARY}-token`,
      messagingServiceId: 'MG1',
    });
    io.remove();
  });

  it('`providers add` reads a secret from stdin', async () => {
    const { run, io, state } = withFiles({ stdin: `smtp://u:${CANARY}@mail.shop.test:2525` });
    expect(await run('providers', 'add', 'smtp', '--url-file', '-', '--from', 'a@shop.test')).toBe(0);
    expect(state.providers.get('smtp')).toMatchObject({ port: 2525, secure: false, password: CANARY });
    io.remove();
  });

  it('`providers add smtp --tls none` adds a server without TLS', async () => {
    const { run, io, state } = withFiles({ stdin: 'smtp://127.0.0.1:1025' });
    const add = ['providers', 'add', 'smtp', '--url-file', '-', '--from', 'a@shop.test'];
    expect(await run(...add, '--tls', 'none')).toBe(0);
    expect(state.providers.get('smtp')).toMatchObject({ host: '127.0.0.1', port: 1025, secure: false, tls: 'none' });
    expect(await run(...add, '--tls', 'maybe')).toBe(2);
    io.remove();
  });

  it.each(ADDED)('`providers add` prints no secret of %s, as text and as JSON', async (provider, argv) => {
    for (const flags of [[], ['--json']]) {
      const { run, io } = withFiles();
      expect(await run('providers', 'add', ...argv, ...flags)).toBe(0);
      expect(await run('providers', 'list', ...flags)).toBe(0);
      expect(await run('providers', 'test', provider, ...flags)).toBe(0);
      expect(io.out() + io.err()).not.toContain('canary');
      io.remove();
    }
  });

  it.each(ADDED)('`providers add` prints no rejected secret of %s', async (provider, argv) => {
    const { run, io, state } = withFiles();
    const details = { fieldErrors: { [`${provider}.key`]: ['It is none.'] } };
    state.failure.putSettings = coreError('VALIDATION_ERROR', 'Some fields are not valid.', details);
    expect(await run('providers', 'add', ...argv)).toBe(5);
    expect(io.err()).toContain(`${provider}.key: It is none.`);
    expect(io.out() + io.err()).not.toContain('canary');
    io.remove();
  });

  it.each(ADDED)('`providers add` exits 2 with --env test and stores nothing: %s', async (_, argv) => {
    const { run, io, state } = withFiles();
    expect(await run('providers', 'add', ...argv, '--env', 'test')).toBe(2);
    expect(io.err()).toContain('Providers apply to prod only.');
    expect(state.calls).toEqual([]);
    io.remove();
  });

  it.each([
    ['a provider that is not known', ['telegraph']],
    ['apns without its key', ['apns', '--key-id', 'A', '--team-id', 'B', '--topic', 'c']],
    ['a secret as a flag', ['apns', ...APNS, '--key', CANARY]],
    ['smtp without a sender', ['smtp', '--url-file', 'url']],
    ['a key of twilio without its secret', ['twilio', '--account-sid', 'AC1', '--api-key-sid', 'SK1']],
    ['a secret of twilio without its key', ['twilio', '--account-sid', 'AC1', '--secret-file', 'secret']],
    ['twilio without any secret', ['twilio', '--account-sid', 'AC1']],
    ['two secrets from stdin', [...ADD.twilio.slice(0, 5), '--secret-file', '-', '--auth-token-file', '-']],
    ['two senders', [...ADD.twilio, '--messaging-service', 'MG1']],
  ])('`providers add` exits 2 and stores nothing on %s', async (_, argv) => {
    const { run, io, state } = withFiles();
    expect(await run('providers', 'add', ...argv)).toBe(2);
    expect(state.calls).toEqual([]);
    io.remove();
  });

  it('`providers add` exits 1 for an unreadable file and 5 for an invalid one', async () => {
    const { run, io, state } = withFiles();
    expect(await run('providers', 'add', 'fcm', '--service-account', 'missing.json')).toBe(1);
    expect(await run('providers', 'add', 'fcm', '--service-account', 'secret')).toBe(5);
    expect(await run('providers', 'add', 'smtp', '--url-file', 'secret', '--from', 'a@b.test')).toBe(5);
    expect(await run('providers', 'add', 'smtp', '--url-file', 'empty', '--from', 'a@b.test')).toBe(5);
    expect(io.err()).not.toContain('canary');
    expect(state.calls).toEqual([]);
    io.remove();
  });

  it('`providers add --json` prints one envelope for success and for failure', async () => {
    const added = withFiles();
    expect(await added.run('providers', 'add', ...ADD.smtp, '--json')).toBe(0);
    expect(added.envelope()).toMatchObject({ success: true, data: { provider: 'smtp', configured: true } });
    const refused = withFiles();
    expect(await refused.run('providers', 'add', ...ADD.smtp, '--env', 'test', '--json')).toBe(2);
    expect(refused.envelope()).toMatchObject({ success: false, error: { code: 'USAGE' } });
    added.io.remove();
    refused.io.remove();
  });
});

describe('providers add webpush generate', () => {
  const GENERATE = ['providers', 'add', 'webpush', 'generate'];
  const SUBJECT = ['--subject', 'mailto:ops@shop.test'];

  it('`webpush generate` stores a new key pair and prints only the public key', async () => {
    const { run, io, state } = withFiles();
    expect(await run(...GENERATE, ...SUBJECT)).toBe(0);
    expect(state.providers.get('webpush')).toEqual({
      publicKey: 'public-half',
      privateKey: 'private-half',
      subject: 'mailto:ops@shop.test',
    });
    expect(io.out()).toBe('public-half\n');
    expect(io.err()).not.toContain('private-half');
    io.remove();
  });

  it('`webpush generate` uses the public URL as the default subject', async () => {
    const { run, io, state, envelope } = withFiles({ env: { BECKON_PUBLIC_URL: 'https://beckon.shop.test' } });
    expect(await run(...GENERATE, '--json')).toBe(0);
    expect(state.providers.get('webpush')).toMatchObject({ subject: 'https://beckon.shop.test' });
    expect(envelope()).toMatchObject({ data: { provider: 'webpush', publicKey: 'public-half' } });
    expect(io.out()).not.toContain('private-half');
    io.remove();
  });

  it.each([{}, { BECKON_PUBLIC_URL: 'http://beckon.shop.test' }, { BECKON_PUBLIC_URL: 'https://localhost:8080' }])(
    'asks for a subject where the public URL can be none: %o',
    async (env) => {
      const { run, io, state } = withFiles({ env });
      expect(await run(...GENERATE)).toBe(2);
      expect(io.err()).toContain('--subject');
      expect(state.providers.size).toBe(0);
      io.remove();
    },
  );

  it('`webpush generate` replaces a key pair only after confirmation', async () => {
    const { run, io, state } = withFiles();
    state.providers.set('webpush', 'before');
    expect(await run(...GENERATE, ...SUBJECT)).toBe(9);
    expect(state.providers.get('webpush')).toBe('before');
    expect(await run(...GENERATE, ...SUBJECT, '--yes')).toBe(0);
    expect(state.providers.get('webpush')).toMatchObject({ publicKey: 'public-half' });
    io.remove();
  });

  it.each([
    ['yes', 0],
    ['no', 1],
  ])('`webpush generate` asks on a terminal before it replaces a key pair: %s', async (answer, code) => {
    const { run, io, state } = withFiles({ isTTY: true, answer });
    state.providers.set('webpush', 'before');
    expect(await run(...GENERATE, ...SUBJECT)).toBe(code);
    expect(io.questions).toHaveLength(1);
    expect(state.providers.get('webpush') === 'before').toBe(code === 1);
    io.remove();
  });
});

describe('providers list', () => {
  it('`providers list` shows all providers, configured or not', async () => {
    const { run, io, state } = withFiles();
    state.providers.set('smtp', CANARY);
    expect(await run('providers', 'list')).toBe(0);
    expect(io.out().split('\n').slice(0, 12)).toEqual([
      'CHANNEL\tPROVIDER\tCONFIGURED\tENDS WITH\tVERIFIED\tUPDATED',
      'push\tapns\tno\t-\t-\t-',
      'push\tfcm\tno\t-\t-\t-',
      'push\twebpush\tno\t-\t-\t-',
      'email\tsmtp\tyes\tlast\t-\t2026-11-20T08:00:00.000Z',
      ...['ses', 'sendgrid', 'postmark', 'mailgun', 'resend'].map((name) => `email\t${name}\tno\t-\t-\t-`),
      'sms\ttwilio\tno\t-\t-\t-',
      'sms\ttelnyx\tno\t-\t-\t-',
    ]);
    expect(io.out()).not.toContain('canary');
    io.remove();
  });

  it('`providers list --json` prints one envelope, filtered by --channel', async () => {
    const { run, io, envelope } = withFiles();
    expect(await run('providers', 'list', '--channel', 'sms', '--json')).toBe(0);
    expect(envelope()).toMatchObject({
      success: true,
      data: [
        { channel: 'sms', provider: 'twilio', configured: false },
        { channel: 'sms', provider: 'telnyx', configured: false },
      ],
    });
    io.remove();
  });
});

describe('providers test', () => {
  it('`providers test` exits 0 and tests only channels with a provider', async () => {
    const { run, io, state } = withFiles();
    state.providers.set('apns', 1).set('smtp', 1);
    expect(await run('providers', 'test')).toBe(0);
    expect(io.out()).toBe('CHANNEL\tPROVIDER\tRESULT\tCODE\tMESSAGE\npush\tapns\tok\t-\t-\nemail\tsmtp\tok\t-\t-\n');
    expect(state.calls.filter((call) => call.startsWith('settings test'))).toEqual([
      'settings test push',
      'settings test email',
    ]);
    io.remove();
  });

  it('`providers test` exits 1 and prints the message of a provider that rejects', async () => {
    const { run, io, state, envelope } = withFiles();
    state.providers.set('apns', 1);
    state.tests.set('apns', { ok: false, code: 'InvalidProviderToken', message: 'The gateway refuses the token.' });
    expect(await run('providers', 'test', 'apns', '--json')).toBe(1);
    expect(envelope()).toMatchObject({
      success: true,
      data: [{ provider: 'apns', ok: false, code: 'InvalidProviderToken' }],
    });
    io.remove();
  });

  it('the exit code of `providers test NAME` depends only on that provider', async () => {
    const { run, io, state } = withFiles();
    state.providers.set('apns', 1).set('fcm', 1);
    state.tests.set('apns', { ok: false, code: 'refused', message: null });
    expect(await run('providers', 'test', 'fcm')).toBe(0);
    expect(await run('providers', 'test', '--channel', 'push')).toBe(1);
    io.remove();
  });

  it('`providers test` names the command for a provider that needs a recipient', async () => {
    const { run, io, state } = withFiles();
    state.providers.set('webpush', 1);
    state.tests.set('webpush', { ok: null });
    expect(await run('providers', 'test', 'webpush')).toBe(0);
    expect(io.out()).toContain('webpush\tuntested');
    expect(io.err()).toContain('beckon send test push --env prod');
    io.remove();
  });

  it.each([
    ['the named provider', ['fcm']],
    ['any provider of the channel', ['--channel', 'sms']],
    ['any provider', []],
  ])('`providers test` exits 8 if %s is not configured', async (_, argv) => {
    const { run, io, state, envelope } = withFiles();
    if (argv.length > 0) state.providers.set('apns', 1);
    expect(await run('providers', 'test', ...argv, '--json')).toBe(8);
    expect(envelope()).toMatchObject({ success: false, error: { code: 'PROVIDER_NOT_CONFIGURED' } });
    io.remove();
  });

  it('`providers test` exits 2 for another channel than that of the provider, and for --env test', async () => {
    const { run, io, state } = withFiles();
    state.providers.set('fcm', 1);
    expect(await run('providers', 'test', 'fcm', '--channel', 'email')).toBe(2);
    expect(io.err()).toContain('fcm serves push, not email.');
    expect(await run('providers', 'test', 'fcm', '--env', 'test')).toBe(2);
    expect(await run('providers', 'test', 'telegraph')).toBe(2);
    io.remove();
  });
});

describe('providers remove', () => {
  it('`providers remove` removes credentials and succeeds again the second time', async () => {
    const { run, io, state } = withFiles();
    state.providers.set('twilio', 1).set('smtp', 1);
    expect(await run('providers', 'remove', 'twilio', '--quiet')).toBe(0);
    expect([...state.providers.keys()]).toEqual(['smtp']);
    expect(io.out()).toBe('Removed the credentials of twilio.\n');
    expect(await run('providers', 'remove', 'twilio', '--env', 'test')).toBe(2);
    const again = withFiles();
    expect(await again.run('providers', 'remove', 'twilio', '--json')).toBe(0);
    expect(again.envelope()).toMatchObject({ success: true, data: { provider: 'twilio', configured: false } });
    again.io.remove();
    io.remove();
  });
});

describe('providers order', () => {
  it('`providers order` sets the order of a channel and rejects providers of several channels', async () => {
    const { run, io, state } = withFiles();
    expect(await run('providers', 'order', 'ses,smtp')).toBe(0);
    expect(state.providers.get('providers')).toEqual(['ses', 'smtp']);
    expect(io.out()).toBe('email: ses, then smtp\n');
    expect(await run('providers', 'order', 'ses,twilio')).toBe(2);
    expect(await run('providers', 'order', 'apns')).toBe(2);
    expect(await run('providers', 'order', 'pigeon')).toBe(2);
  });
});
