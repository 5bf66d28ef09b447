import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type FakeIo, fakeIo } from '../test/support/fake-io.ts';
import { type ConfigFlags, type ConfigMode, loadConfig, shownDb } from './config.ts';
import { CliError } from './exit-codes.ts';

const made: FakeIo[] = [];
const folder = (env: Record<string, string> = {}): FakeIo => {
  const io = fakeIo({ env });
  made.push(io);
  return io;
};
afterEach(() => {
  for (const io of made.splice(0)) io.remove();
});

const put = (io: FakeIo, name: string, text: string, mode = 0o600): void => {
  writeFileSync(join(io.cwd, name), text, { mode });
  chmodSync(join(io.cwd, name), mode);
};

const problemsOf = (io: FakeIo, flags: ConfigFlags = {}, mode?: ConfigMode): string => {
  try {
    loadConfig(io, flags, mode);
  } catch (error) {
    if (error instanceof CliError && error.exitCode === 2) return error.message;
    throw error;
  }
  return '';
};

describe('loadConfig', () => {
  it('configuration sources are flag, variable, file variable, .env, configuration file and default, in this order', () => {
    const io = folder();
    put(io, 'port', '3\n');
    put(io, 'beckon.config.json', '{"port": 5}');
    const full = { BECKON_PORT: '2', BECKON_PORT_FILE: 'port' };
    const portWith = (env: Record<string, string>, flags: ConfigFlags = {}): number =>
      loadConfig({ env, cwd: io.cwd }, flags).port;

    put(io, '.env', 'BECKON_PORT=4\n');
    expect(portWith(full, { port: '1' })).toBe(1);
    expect(portWith(full)).toBe(2);
    expect(portWith({ BECKON_PORT_FILE: 'port' })).toBe(3);
    expect(portWith({})).toBe(4);
    put(io, '.env', 'OTHER=1\n');
    expect(portWith({})).toBe(5);
    put(io, 'beckon.config.json', '{}');
    expect(portWith({})).toBe(8080);
  });

  it('metrics are on with metrics.port, by default on loopback only', () => {
    expect(loadConfig(folder({ BECKON_METRICS_PORT: '9464' }), {}).metrics).toEqual({
      host: '127.0.0.1',
      port: 9464,
      token: undefined,
    });
    const io = folder();
    put(io, 'beckon.config.json', '{"metrics": {"host": "0.0.0.0", "port": 9464, "token": "t"}}');
    expect(loadConfig(io, {}).metrics).toEqual({ host: '0.0.0.0', port: 9464, token: 't' });
  });

  it('the default configuration is safe', () => {
    const io = folder();
    expect(loadConfig(io, {})).toEqual({
      db: `sqlite:${io.cwd}/data/beckon.db`,
      dataDir: join(io.cwd, 'data'),
      masterKey: undefined,
      publicUrl: undefined,
      host: '127.0.0.1',
      port: 8080,
      trustedProxies: 0,
      shutdownTimeoutMs: 20_000,
      limits: {},
      plans: undefined,
      logFormat: 'json',
      logLevel: 'info',
      durability: 'full',
      isPathTrusted: false,
      preparedNames: true,
      migrate: 'auto',
      isWorkerEnabled: true,
      metrics: null,
      delivery: {
        email: {},
        sms: {},
        ai: { models: {} },
        sandbox: {},
        outbound: {
          fcm: {},
          webPush: {},
          smtp: {},
          webhooks: {},
          twilio: {},
          telnyx: {},
          ses: {},
          sendgrid: {},
          postmark: {},
          mailgun: {},
          resend: {},
        },
      },
      isDev: false,
    });
  });

  it('the configuration reads rate limits and trusted proxies', () => {
    const io = folder({ BECKON_LIMITS_CALLS_PER_MINUTE: '600', BECKON_TRUSTED_PROXIES: '1' });
    put(io, 'beckon.config.json', JSON.stringify({ limits: { ingestBurst: 9_000 }, trustedProxies: 3 }));
    const config = loadConfig(io, { trustedProxies: '2' });
    expect([config.trustedProxies, config.limits]).toEqual([2, { callsPerMinute: 600, ingestBurst: 9_000 }]);
    expect(() => loadConfig(io, { trustedProxies: '17' })).toThrow('--trusted-proxies must be 0 to 16');
  });

  it('plans are read from a variable as JSON and from a file as an array, with the gates of core', () => {
    const basic = { name: 'basic', gates: ['templates'], eventsPerMonth: 50_000, retentionDays: 90 };
    const io = folder({ BECKON_PLANS: JSON.stringify([basic]) });
    expect(loadConfig(io, {}).plans).toEqual([basic]);
    const own = { ...basic, name: 'own', eventsPerMonth: null };
    const other = folder();
    put(other, 'beckon.config.json', JSON.stringify({ plans: [basic, own] }));
    expect(loadConfig(other, {}).plans).toEqual([basic, own]);
    for (const [plans, message] of [
      ['[', 'BECKON_PLANS must be an array of plans such as'],
      ['{}', 'BECKON_PLANS must be an array of plans such as'],
      [JSON.stringify([{ ...basic, events: 1 }]), 'BECKON_PLANS must be an array of plans such as'],
      [JSON.stringify([{ ...basic, gates: ['sms'] }]), 'BECKON_PLANS gates must be some of audienceSends'],
      [JSON.stringify([{ ...basic, name: 'unlimited' }]), 'BECKON_PLANS names must be'],
      [JSON.stringify([basic, basic]), 'BECKON_PLANS names must be'],
      [JSON.stringify([{ ...basic, retentionDays: 401 }]), 'BECKON_PLANS retentionDays must be 1 to 400'],
    ] as const)
      expect(() => loadConfig(folder({ BECKON_PLANS: plans }), {})).toThrow(message);
  });

  it('delivery settings are read from variables and from a file', () => {
    const delivery = {
      publicUrl: 'https://beckon.shop.test/base',
      email: { linkDays: 30, mailsPerMinute: 600 },
      sms: { resendOnAmbiguous: true },
      ai: {
        models: { generate: 'large', decide: 'small' },
        shared: { wire: 'anthropic', baseUrl: 'https://models.test/v1', key: undefined },
      },
      sandbox: { callModels: true },
      outbound: {
        allowCidrs: ['10.0.0.0/8', 'fd00::/8'],
        apns: { production: 'https://apns.test', sandbox: 'https://apns.test' },
        fcm: { endpoint: 'https://fcm.test', tokenUris: ['https://token.test/x'] },
        twilio: { endpoint: 'https://twilio.test' },
        telnyx: { endpoint: 'https://telnyx.test' },
        ses: { endpoint: 'https://ses.test' },
        sendgrid: { endpoint: 'https://sendgrid.test' },
        postmark: { endpoint: 'https://postmark.test' },
        mailgun: { endpoint: 'https://mailgun.test' },
        resend: { endpoint: 'https://resend.test' },
        smtp: { allowedPorts: [25, 1025] },
        webhooks: { httpsOnly: true },
        webPush: { allowedHosts: ['*.push.test'] },
      },
    };
    const env = {
      BECKON_PUBLIC_URL: 'https://beckon.shop.test/base/',
      BECKON_EMAIL_LINK_DAYS: '30',
      BECKON_EMAIL_MAILS_PER_MINUTE: '600',
      BECKON_SMS_RESEND_ON_AMBIGUOUS: 'true',
      BECKON_AI_MODELS_GENERATE: 'large',
      BECKON_AI_MODELS_DECIDE: 'small',
      BECKON_AI_SHARED_WIRE: 'anthropic',
      BECKON_AI_SHARED_BASE_URL: 'https://models.test/v1/',
      BECKON_SANDBOX_CALL_MODELS: 'true',
      BECKON_WEBHOOKS_HTTPS_ONLY: 'true',
      BECKON_NET_ALLOW_CIDRS: '10.0.0.0/8, fd00::/8',
      BECKON_ENDPOINTS_APNS_URL: 'https://apns.test',
      BECKON_ENDPOINTS_FCM_URL: 'https://fcm.test',
      BECKON_ENDPOINTS_TWILIO_URL: 'https://twilio.test/',
      BECKON_ENDPOINTS_TELNYX_URL: 'https://telnyx.test/',
      BECKON_ENDPOINTS_SES_URL: 'https://ses.test',
      BECKON_ENDPOINTS_SENDGRID_URL: 'https://sendgrid.test/',
      BECKON_ENDPOINTS_POSTMARK_URL: 'https://postmark.test',
      BECKON_ENDPOINTS_MAILGUN_URL: 'https://mailgun.test',
      BECKON_ENDPOINTS_RESEND_URL: 'https://resend.test',
      BECKON_FCM_TOKEN_URIS: 'https://token.test/x',
      BECKON_SMTP_ALLOWED_PORTS: '25,1025',
      BECKON_WEBPUSH_ALLOWED_HOSTS: '*.push.test',
    };
    expect(loadConfig(folder(env), {}).delivery).toEqual(delivery);
    const io = folder();
    const file = {
      publicUrl: 'https://beckon.shop.test/base',
      email: { linkDays: 30, mailsPerMinute: 600 },
      sms: { resendOnAmbiguous: true },
      ai: {
        models: { generate: 'large', decide: 'small' },
        shared: { wire: 'anthropic', baseUrl: 'https://models.test/v1' },
      },
      sandbox: { callModels: true },
      webhooks: { httpsOnly: true },
      net: { allowCidrs: ['10.0.0.0/8', 'fd00::/8'] },
      endpoints: {
        apns: { url: 'https://apns.test' },
        fcm: { url: 'https://fcm.test' },
        twilio: { url: 'https://twilio.test' },
        telnyx: { url: 'https://telnyx.test' },
        ses: { url: 'https://ses.test' },
        sendgrid: { url: 'https://sendgrid.test' },
        postmark: { url: 'https://postmark.test' },
        mailgun: { url: 'https://mailgun.test' },
        resend: { url: 'https://resend.test' },
      },
      fcm: { tokenUris: ['https://token.test/x'] },
      smtp: { allowedPorts: [25, 1025] },
      webpush: { allowedHosts: ['*.push.test'] },
    };
    put(io, 'beckon.config.json', JSON.stringify(file));
    expect(loadConfig(io, {}).delivery).toEqual(delivery);
  });

  it.each([
    ['BECKON_NET_ALLOW_CIDRS', '10.0.0.0', 'networks'],
    ['BECKON_NET_ALLOW_CIDRS', '10.0.0.0/33', 'networks'],
    ['BECKON_NET_ALLOW_CIDRS', '10.0.0.0/8,,', 'networks'],
    ['BECKON_SMTP_ALLOWED_PORTS', '25,0', 'ports'],
    ['BECKON_SMTP_ALLOWED_PORTS', 'smtp', 'whole number'],
    ['BECKON_FCM_TOKEN_URIS', 'http://token.test', 'https'],
    ['BECKON_ENDPOINTS_TWILIO_URL', 'http://twilio.test', 'https'],
    ['BECKON_SMS_RESEND_ON_AMBIGUOUS', 'perhaps', 'true or false'],
  ])('the configuration rejects %s=%s', (name, value, word) => {
    const problems = problemsOf(folder({ [name]: value }));
    expect(problems).toContain(name);
    expect(problems).toContain(word);
  });

  it('the worker is enabled by default on both databases', () => {
    const db = 'postgres://u@h/d';
    expect(loadConfig(folder(), {}).isWorkerEnabled).toBe(true);
    expect(loadConfig(folder(), { db }).isWorkerEnabled).toBe(true);
    expect(loadConfig(folder(), { db, worker: false }).isWorkerEnabled).toBe(false);
    expect(loadConfig(folder({ BECKON_WORKER_ENABLED: 'false' }), { db }).isWorkerEnabled).toBe(false);
  });

  it('--dev uses ./.beckon and ignores variables and files of another deployment', () => {
    const io = folder({ BECKON_DB: 'postgres://u@h/d', BECKON_PORT: '9000' });
    put(io, '.env', 'BECKON_MASTER_KEY=key-of-another\n', 0o600);
    put(io, 'beckon.config.json', '{"dataDir": "./data", "log": {"level": "warn"}}');
    expect(loadConfig(io, { dev: true })).toMatchObject({
      db: `sqlite:${io.cwd}/.beckon/beckon.db`,
      dataDir: join(io.cwd, '.beckon'),
      masterKey: undefined,
      port: 9_000,
      logLevel: 'warn',
    });
    expect(loadConfig(io, {})).toMatchObject({ db: 'postgres://u@h/d', masterKey: 'key-of-another' });
  });

  it('--dev with --data-dir or --db uses that folder or database', () => {
    const io = folder({ BECKON_MASTER_KEY: 'key' });
    expect(loadConfig(io, { dev: true, dataDir: 'other' })).toMatchObject({
      db: `sqlite:${io.cwd}/other/beckon.db`,
      masterKey: 'key',
    });
    expect(loadConfig(io, { dev: true, db: 'sqlite:x.db' }).db).toBe(`sqlite:${io.cwd}/x.db`);
  });

  it('groups of the configuration file are read as dotted keys', () => {
    const io = folder();
    put(
      io,
      'beckon.config.json',
      '{"$schema":"x","log":{"format":"pretty","level":"warn"},"worker":{"enabled":false}}',
    );
    expect(loadConfig(io, {})).toMatchObject({ logFormat: 'pretty', logLevel: 'warn', isWorkerEnabled: false });
  });

  it('a configuration file in the data folder is read', () => {
    const io = folder({ BECKON_DATA_DIR: 'store' });
    mkdirSync(join(io.cwd, 'store'));
    put(io, 'store/beckon.config.json', '{"port": 7}');
    expect(loadConfig(io, {}).port).toBe(7);
  });

  it('paths in the file of --config are relative to its folder', () => {
    const io = folder();
    mkdirSync(join(io.cwd, 'etc'));
    put(io, 'etc/own.json', '{"dataDir": "../store", "db": "sqlite:x.db"}');
    expect(loadConfig(io, { config: 'etc/own.json' })).toMatchObject({
      dataDir: join(io.cwd, 'store'),
      db: `sqlite:${join(io.cwd, 'etc/x.db')}`,
    });
  });

  it('an empty variable counts as not set', () => {
    expect(loadConfig(folder({ BECKON_PORT: '' }), {}).port).toBe(8080);
  });

  it('one message lists every problem of every source', () => {
    const io = folder({ BECKON_PROT: '1', BECKON_DURABILITY: 'yes', BECKON_DB_FILE: 'missing' });
    put(io, 'beckon.config.json', '{"prot": 1, "log": {"fromat": "json"}, "worker": {"enabled": "maybe"}}');
    const message = problemsOf(io, { port: '70000', shutdownTimeout: 'soon' });
    for (const part of [
      'unknown variable BECKON_PROT (did you mean BECKON_PORT?)',
      'BECKON_DURABILITY must be full or process',
      'BECKON_DB_FILE: cannot read the file',
      'prot in',
      '(did you mean port?)',
      'log.fromat in',
      '(did you mean log.format?)',
      'worker.enabled in',
      '--port must be 0 to 65535',
      '--shutdown-timeout must be a time such as 20s',
    ]) {
      expect(message).toContain(part);
    }
  });

  it('the key of the shared AI provider is rejected in the configuration file, and the message does not contain it', () => {
    const io = folder();
    put(io, 'beckon.config.json', '{"ai": {"shared": {"key": "canary-value"}}}');
    const message = problemsOf(io);
    expect(message).toContain('BECKON_AI_SHARED_KEY');
    expect(message).not.toContain('canary-value');
    expect(loadConfig(folder({ BECKON_AI_SHARED_KEY: 'k' }), {}).delivery.ai?.shared).toMatchObject({ key: 'k' });
  });

  it('a master key is rejected in the configuration file, and the message does not contain it', () => {
    const io = folder();
    put(io, 'beckon.config.json', '{"masterKey": "canary-value"}');
    const message = problemsOf(io);
    expect(message).toContain('masterKey');
    expect(message).toContain('BECKON_MASTER_KEY');
    expect(message).not.toContain('canary-value');
  });

  it('messages do not contain invalid values, which may be misplaced secrets', () => {
    expect(problemsOf(folder({ BECKON_DB: 'canary-value', BECKON_PORT: 'canary-value' }))).not.toContain('canary');
  });

  it.each(['not json', '[]', '"text"'])('a configuration file with %s is rejected', (text) => {
    const io = folder();
    put(io, 'beckon.config.json', text);
    expect(problemsOf(io)).toContain('beckon.config.json');
  });

  it('an .env with Beckon variables that others can read is rejected', () => {
    const io = folder();
    put(io, '.env', 'BECKON_PORT=1\n', 0o644);
    expect(problemsOf(io)).toContain('chmod 600 .env');
    put(io, '.env', 'PORT=1\n', 0o644);
    expect(problemsOf(io)).toBe('');
  });

  it('variables of Kubernetes, Docker, tests and client programs are ignored', () => {
    const env = {
      BECKON_PORT: 'tcp://10.0.0.1:8080',
      BECKON_PORT_8080_TCP_ADDR: '10.0.0.1',
      BECKON_SERVICE_HOST: '10.0.0.1',
      BECKON_TEST_PG_URL: 'postgres://x',
      BECKON_TEST_SECRET_KEY: 'sk_test_x',
      BECKON_API_KEY: 'sk_prod_x',
    };
    expect(loadConfig(folder(env), {}).port).toBe(8080);
  });

  it('the folder of serve --dev is found with its master key', () => {
    const io = folder();
    mkdirSync(join(io.cwd, '.beckon'), { mode: 0o700 });
    put(io, '.beckon/master.key', 'dev-key\n');
    expect(loadConfig(io, {})).toMatchObject({
      db: `sqlite:${io.cwd}/.beckon/beckon.db`,
      masterKey: 'dev-key',
      isDev: true,
      logFormat: 'pretty',
    });
    expect(loadConfig(io, { db: 'postgres://h/d' })).toMatchObject({ db: 'postgres://h/d', masterKey: 'dev-key' });
    expect(loadConfig(io, {}, 'fresh')).toMatchObject({ dataDir: join(io.cwd, 'data'), isDev: false });
    expect(loadConfig(io, { dataDir: 'data' })).toMatchObject({ masterKey: undefined, isDev: false });
  });

  it('a development key that others can read is rejected', () => {
    const io = folder();
    mkdirSync(join(io.cwd, '.beckon'), { mode: 0o700 });
    put(io, '.beckon/master.key', 'dev-key', 0o644);
    expect(problemsOf(io)).toContain('master.key can be read by others');
  });
});

describe('shownDb', () => {
  it('shownDb hides passwords', () => {
    expect(shownDb('postgres://user:canary@host:5432/name?password=canary', '/')).toBe('postgres host:5432/name');
  });

  it('shownDb shows a file below the working directory by its relative path', () => {
    expect(shownDb('sqlite:/a/b/c.db', '/a')).toBe('sqlite ./b/c.db');
    expect(shownDb('sqlite:/x/c.db', '/a')).toBe('sqlite /x/c.db');
  });
});
