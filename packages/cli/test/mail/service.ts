// Beckon as the user of that name: its server, and what pipes of mail servers start.

import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { put, run, textIn, until } from './files.ts';
import { BOUNCE_DOMAIN, LOGIN, SUBMISSION } from './names.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
/** Path of the checkout in the namespace, readable by every user. */
const SOURCE = '/run/beckon-source/';
const HOME = '/run/beckon';
const REPORTS = '/run/beckon/reports';
/** Script that mail servers pipe reports into, with the server's name and, if provided, the recipient. */
export const INGEST = '/run/beckon/ingest';

const seen = (path: string): string => (path.startsWith(ROOT) ? SOURCE + relative(ROOT, path) : path);
const NODE = seen(process.execPath);
const BIN = `${SOURCE}packages/cli/bin/beckon.js`;

/** A piped report, and the result of `beckon bounce-ingest`. */
export type Ingested = {
  readonly server: string;
  readonly recipient: string;
  readonly mail: string;
  readonly exitCode: number;
  readonly out: string;
};

export type MailBody = Readonly<Record<string, unknown>> & { readonly to: string };

export type Service = {
  /** Selects the relay of later emails. */
  through(relay: 'relay' | 'exim'): Promise<void>;
  /** Sends one email and returns the id of its message. */
  send(mail: MailBody): Promise<string>;
  message(id: string): Promise<Readonly<Record<string, unknown>>>;
  /** Resolves when the message has this status. */
  reaches(id: string, status: string): Promise<Readonly<Record<string, unknown>>>;
  /** True if the address is suppressed. */
  isListed(address: string): Promise<boolean>;
  reports(): readonly Ingested[];
  stop(): Promise<void>;
};

const ENV = {
  PATH: '/usr/bin:/usr/sbin:/bin',
  HOME,
  NODE_EXTRA_CA_CERTS: '/etc/mail-test/ca.pem',
  BECKON_NET_ALLOW_CIDRS: '198.51.100.0/24',
  BECKON_PUBLIC_URL: 'https://click.shop.test',
};

const idOf = (name: '-u' | '-g'): number => Number(run('id', [name, 'beckon']));

/** Creates a project that sends through Postfix, and starts `beckon serve`. */
export const startService = async (): Promise<Service> => {
  const as = { uid: idOf('-u'), gid: idOf('-g') };
  run('mkdir', ['-p', REPORTS]);
  const env = Object.entries(ENV).map(([name, value]) => `export ${name}='${value}'`);
  put(
    INGEST,
    [
      '#!/bin/sh',
      ...env,
      `cd ${HOME}`,
      `file=$(mktemp ${REPORTS}/XXXXXXXX)`,
      'cat >"$file.mail"',
      `${NODE} ${BIN} bounce-ingest --json \${2:+--recipient "$2"} <"$file.mail" >"$file.out" 2>"$file.err"`,
      'code=$?',
      'echo "$code $1 $2" >"$file.code"',
      'exit $code',
      '',
    ].join('\n'),
    0o755,
  );
  run('chown', ['-R', 'beckon:beckon', HOME]);
  const environment = Object.entries(ENV).map(([name, value]) => `${name}=${value}`);
  const asBeckon = [
    '--reuid',
    'beckon',
    '--regid',
    'beckon',
    '--clear-groups',
    'env',
    '-i',
    '-C',
    HOME,
    ...environment,
  ];
  const made = run('setpriv', [...asBeckon, NODE, BIN, 'init', '--json']);
  const { keys } = JSON.parse(made).data;
  const key: string = keys.find(({ name }: { name: string }) => name === 'sk_prod').secret;
  const written = { out: '' };
  const server: ChildProcess = spawn(NODE, [BIN, 'serve', '--port', '8080'], { ...as, cwd: HOME, env: ENV });
  const ended = new Promise<void>((resolve) => server.once('close', () => resolve()));
  for (const stream of [server.stdout, server.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      written.out += text;
    });
  await until(
    () => (/listening on/.test(written.out) ? true : undefined),
    () => written.out,
  );

  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`http://127.0.0.1:8080/api/v1/${path}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = JSON.parse(await response.text());
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer.data;
  };
  const through = async (relay: 'relay' | 'exim'): Promise<void> => {
    const smtp = { host: `${relay}.test`, port: SUBMISSION, ...LOGIN, from: 'news@shop.test', name: 'Shop' };
    await call('PUT', 'email/settings', { smtp, bounceDomain: BOUNCE_DOMAIN });
  };
  await through('relay');

  const message = (id: string) => call('GET', `email/messages/${id}`);
  return {
    through,
    message,
    send: async (mail) => {
      const { id } = await call('POST', 'email/send', mail);
      const [first] = await call('GET', `email/sends/${id}/messages`);
      return String(first.id);
    },
    reaches: async (id, status) => {
      let last: unknown;
      return until(
        async () => {
          const found = await message(id);
          last = found;
          return found.status === status ? found : undefined;
        },
        () => `${status}, but ${JSON.stringify(last)}\n${written.out.slice(-3_000)}`,
      );
    },
    isListed: async (address) =>
      (await call('GET', `email/suppressions?address=${encodeURIComponent(address)}`)).length > 0,
    reports: () =>
      readdirSync(REPORTS)
        .filter((name) => name.endsWith('.code'))
        .map((name) => {
          const at = `${REPORTS}/${name.slice(0, -'.code'.length)}`;
          const [code = '', server = '', recipient = ''] = textIn(`${at}.code`).trim().split(' ');
          const mail = textIn(`${at}.mail`);
          const [, noted = ''] = /^Envelope-to: (.*)/im.exec(mail) ?? [];
          const out = textIn(`${at}.out`) + textIn(`${at}.err`);
          return { server, recipient: recipient || noted, mail, exitCode: Number(code), out };
        }),
    stop: async () => {
      server.kill('SIGTERM');
      await ended;
    },
  };
};
