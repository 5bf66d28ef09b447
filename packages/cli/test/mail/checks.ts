// Services beside Postfix: opendkim twice as signer and once as verifier, opendmarc, postgrey and rspamd.

import { generateKeyPairSync } from 'node:crypto';
import { listens, put, run, start, textIn } from './files.ts';
import { HOSTS } from './names.ts';

export const PORTS = { simple: 8_891, relaxed: 8_892, verify: 8_893, dmarc: 8_894, grey: 10_023, rspamd: 11_333 };
const LOCAL = '127.0.0.1';
/** libunbound, the resolver of opendkim, answers `test.` locally unless configured. Source: RFC 6761, 6.2. */
const RESOLVER = '/etc/mail-test/unbound.conf';
/** Hosts whose email opendkim and opendmarc skip; the setting is required. */
const NOBODY = '/etc/mail-test/nobody';
/** Seconds for which postgrey rejects an unknown sender. */
const GREY_SECONDS = 45;

/** Creates a DKIM key: writes the private key and returns the DNS record. */
export const dkimKey = (file: string, owner: string): string => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'der' },
  });
  put(file, privateKey, 0o600);
  run('chown', [owner, file]);
  return `v=DKIM1; k=rsa; p=${publicKey.toString('base64')}`;
};

const startOpenDkim = async (name: 'simple' | 'relaxed' | 'verify', lines: readonly string[]): Promise<void> => {
  const file = `/etc/mail-test/opendkim-${name}.conf`;
  put(NOBODY, '192.0.2.1\n');
  put(RESOLVER, `server:\n local-zone: "test." nodefault\nforward-zone:\n name: "."\n forward-addr: ${HOSTS.names}\n`);
  put(
    file,
    ['UserID opendkim', `Socket inet:${PORTS[name]}@${LOCAL}`, `ResolverConfiguration ${RESOLVER}`, ...lines, ''].join(
      '\n',
    ),
  );
  start('opendkim', ['-x', file]);
  await listens(LOCAL, PORTS[name], () => `opendkim ${name}`);
};

/** Signs email of authenticated clients. The key is `/etc/mail-test/NAME.pem`. */
export const startSigner = (name: 'simple' | 'relaxed'): Promise<void> =>
  startOpenDkim(name, [
    'Mode s',
    'Domain shop.test',
    `Selector ${name}`,
    `KeyFile /etc/mail-test/${name}.pem`,
    `Canonicalization ${name}/${name}`,
  ]);

/** Writes Authentication-Results about DKIM. */
export const startVerifier = (): Promise<void> =>
  startOpenDkim('verify', [
    'Mode v',
    'AuthservID receiver.test',
    'AlwaysAddARHeader yes',
    `InternalHosts ${NOBODY}`,
    `ExternalIgnoreList ${NOBODY}`,
  ]);

/** Writes Authentication-Results about SPF and DMARC. */
export const startOpenDmarc = async (): Promise<void> => {
  put(
    '/etc/mail-test/opendmarc.conf',
    [
      'UserID opendmarc',
      `Socket inet:${PORTS.dmarc}@${LOCAL}`,
      'AuthservID receiver.test',
      'TrustedAuthservIDs receiver.test',
      'SPFIgnoreResults true',
      'SPFSelfValidate true',
      `IgnoreHosts ${NOBODY}`,
      'PublicSuffixList /usr/share/publicsuffix/public_suffix_list.dat',
      '',
    ].join('\n'),
  );
  start('opendmarc', ['-c', '/etc/mail-test/opendmarc.conf']);
  await listens(LOCAL, PORTS.dmarc, () => 'opendmarc');
};

export const startPostgrey = async (): Promise<void> => {
  run('mkdir', ['-p', '/var/lib/postgrey']);
  run('chown', ['postgrey:postgrey', '/var/lib/postgrey']);
  start('postgrey', [
    `--inet=${LOCAL}:${PORTS.grey}`,
    `--delay=${GREY_SECONDS}`,
    '--daemonize',
    '--user=postgrey',
    '--group=postgrey',
    '--dbdir=/var/lib/postgrey',
  ]);
  await listens(LOCAL, PORTS.grey, () => 'postgrey');
};

const RSPAMD_LOG = '/var/log/rspamd.log';

export const startRspamd = async (): Promise<void> => {
  put('/etc/rspamd/local.d/options.inc', `dns { nameserver = ["${HOSTS.names}"]; }\n`);
  put('/etc/rspamd/local.d/logging.inc', `type = "file";\nfilename = "${RSPAMD_LOG}";\n`);
  put('/etc/rspamd/local.d/worker-normal.inc', `bind_socket = "${LOCAL}:${PORTS.rspamd}";\n`);
  put(RSPAMD_LOG, '', 0o666);
  run('mkdir', ['-p', '/var/lib/rspamd', '/run/rspamd']);
  run('chown', ['_rspamd:_rspamd', '/var/lib/rspamd', '/run/rspamd']);
  start('rspamd', ['-u', '_rspamd', '-g', '_rspamd', '-c', '/etc/rspamd/rspamd.conf']);
  await listens(LOCAL, PORTS.rspamd, () => textIn(RSPAMD_LOG).slice(-2_000));
};

/** The verdict of rspamd about an email from the relay. */
export type Verdict = { readonly score: number; readonly action: string; readonly symbols: readonly string[] };

type Answer = { readonly score: number; readonly action: string; readonly symbols: Record<string, { score: number }> };

export const verdictOf = async (
  mail: string,
  envelope: {
    readonly ip: string;
    readonly helo: string;
    readonly hostname: string;
    readonly from: string;
    readonly rcpt: string;
  },
): Promise<Verdict> => {
  const response = await fetch(`http://${LOCAL}:${PORTS.rspamd}/checkv2`, {
    method: 'POST',
    headers: envelope,
    body: Buffer.from(mail, 'latin1'),
  });
  // rspamd's documented form.
  const { score, action, symbols } = (await response.json()) as Answer;
  const shown = Object.entries(symbols)
    .filter(([, { score: own }]) => own !== 0)
    .sort(([, a], [, b]) => b.score - a.score)
    .map(([name, { score: own }]) => `${name}(${own.toFixed(2)})`);
  return { score, action, symbols: shown };
};
