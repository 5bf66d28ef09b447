// Everything between Beckon and a mailbox, from Debian: see relays.test.ts for what runs where.

import { readdirSync } from 'node:fs';
import { dkimKey, PORTS, startOpenDmarc, startPostgrey, startRspamd, startSigner, startVerifier } from './checks.ts';
import { startNameServer, type Zone } from './dns.ts';
import { startExim } from './exim.ts';
import { put, run, textIn } from './files.ts';
import { BOUNCE_DOMAIN, HOSTS, isMissing, LOGIN, RECEIVER_LIMIT, SUBMISSION } from './names.ts';
import { type Postfix, startPostfix } from './postfix.ts';
import { INGEST } from './service.ts';

export type Network = {
  readonly relay: Postfix;
  readonly receiver: Postfix;
  readonly exim: { log(): string } | null;
  /** Raw emails in a mailbox of the receiver. */
  mailbox(name: string): readonly string[];
  stop(): Promise<void>;
};

/** Mailboxes of receiver.test, one of them not ASCII. */
const MAILBOXES = ['ada', 'ben', 'cem', 'dora', 'eva', 'grey', 'пошта'];
const BOXES = '/var/mail/boxes';

const certificates = (): void => {
  run('mkdir', ['-p', '/etc/mail-test']);
  put('/etc/mail-test/names', 'subjectAltName=DNS:relay.test,DNS:exim.test,DNS:mx.receiver.test\n');
  run('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=Test authority',
    '-keyout',
    '/etc/mail-test/ca-key.pem',
    '-out',
    '/etc/mail-test/ca.pem',
  ]);
  run('openssl', [
    'req',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-subj',
    '/CN=relay.test',
    '-keyout',
    '/etc/mail-test/server-key.pem',
    '-out',
    '/etc/mail-test/server.csr',
  ]);
  run('openssl', [
    'x509',
    '-req',
    '-in',
    '/etc/mail-test/server.csr',
    '-CA',
    '/etc/mail-test/ca.pem',
    '-CAkey',
    '/etc/mail-test/ca-key.pem',
    '-CAcreateserial',
    '-days',
    '2',
    '-extfile',
    '/etc/mail-test/names',
    '-out',
    '/etc/mail-test/server.pem',
  ]);
  run('install', ['-o', 'Debian-exim', '-m', '600', '/etc/mail-test/server-key.pem', '/etc/mail-test/exim-key.pem']);
};

const zoneOf = (): Zone => {
  const record = (name: string, owner: string): { readonly TXT: readonly string[] } => ({
    TXT: [dkimKey(`/etc/mail-test/${name}.pem`, owner)],
  });
  const spf = `v=spf1 ip4:${HOSTS.relay} ip4:${HOSTS.exim} -all`;
  const hosts = { 'relay.test': HOSTS.relay, 'exim.test': HOSTS.exim, 'mx.receiver.test': HOSTS.receiver };
  return {
    ...Object.fromEntries(Object.entries(hosts).map(([name, A]) => [name, { A }])),
    ...Object.fromEntries(
      Object.entries(hosts).map(([PTR, A]) => [`${A.split('.').reverse().join('.')}.in-addr.arpa`, { PTR }]),
    ),
    'closed.test': { A: HOSTS.closed },
    'click.shop.test': { A: HOSTS.relay },
    'shop.test': { A: HOSTS.relay, MX: 'relay.test', TXT: [spf] },
    [BOUNCE_DOMAIN]: { A: HOSTS.relay, MX: 'relay.test', TXT: [spf] },
    '_dmarc.shop.test': { TXT: ['v=DMARC1; p=reject; adkim=s; aspf=r'] },
    'simple._domainkey.shop.test': record('simple', 'opendkim'),
    'relaxed._domainkey.shop.test': record('relaxed', 'opendkim'),
    'exim._domainkey.shop.test': record('exim', 'Debian-exim'),
    'receiver.test': { MX: 'mx.receiver.test' },
    'grey.test': { MX: 'mx.receiver.test' },
    'slow.test': { MX: 'closed.test' },
    'nullmx.test': { MX: '' },
  };
};

const startRelay = (): Promise<Postfix> => {
  put('/etc/postfix/sasl/smtpd.conf', 'pwcheck_method: auxprop\nauxprop_plugin: sasldb\nmech_list: PLAIN LOGIN\n');
  run('saslpasswd2', ['-c', '-p', '-u', 'relay.test', LOGIN.user], LOGIN.password);
  run('chown', ['postfix', '/etc/sasldb2']);
  const milters = (['simple', 'relaxed'] as const).map((name) => `inet:127.0.0.1:${PORTS[name]}`);
  return startPostfix(
    'relay',
    { host: HOSTS.relay, port: SUBMISSION },
    [
      'myhostname = relay.test',
      `relay_domains = ${BOUNCE_DOMAIN}`,
      `smtp_bind_address = ${HOSTS.relay}`,
      'smtpd_tls_cert_file = /etc/mail-test/server.pem',
      'smtpd_tls_key_file = /etc/mail-test/server-key.pem',
      'smtpd_tls_security_level = may',
      'smtpd_tls_auth_only = yes',
      'cyrus_sasl_config_path = /etc/postfix/sasl',
      'smtpd_sasl_local_domain = relay.test',
      'smtpd_relay_restrictions = permit_sasl_authenticated, reject_unauth_destination',
      'smtpd_restriction_classes = greylist',
      `greylist = check_policy_service inet:127.0.0.1:${PORTS.grey}`,
      'smtpd_recipient_restrictions = check_recipient_access inline:{grey.test=greylist}',
      `transport_maps = inline:{${BOUNCE_DOMAIN}=beckon:}`,
      'beckon_destination_recipient_limit = 1',
      'maximal_queue_lifetime = 90s',
      'bounce_queue_lifetime = 90s',
      'delay_warning_time = 4s',
    ],
    [
      `  -o smtpd_sasl_auth_enable=yes -o smtpd_milters=${milters.join(',')} -o smtpd_tls_security_level=encrypt`,
      `${HOSTS.relay}:25 inet n - n - - smtpd`,
      'beckon unix - n n - - pipe',
      `  user=beckon argv=${INGEST} postfix \${recipient}`,
    ],
  );
};

const startReceiver = (): Promise<Postfix> => {
  run('mkdir', ['-p', BOXES]);
  run('chown', ['vmail:vmail', BOXES]);
  // The quota is already exceeded.
  put(`${BOXES}/stuffed`, 'x'.repeat(RECEIVER_LIMIT));
  run('chown', ['vmail:vmail', `${BOXES}/stuffed`]);
  put(
    '/etc/postfix-receiver/mailboxes',
    [
      ...MAILBOXES.map((name) => `${name}@receiver.test ${name}/`),
      'grey@grey.test grey/',
      'stuffed@receiver.test stuffed',
      '',
    ].join('\n'),
  );
  put(
    '/etc/postfix-receiver/access',
    [
      'full@receiver.test 552 5.2.2 <full@receiver.test>: The mailbox is full',
      'policy@receiver.test 550 5.7.1 <policy@receiver.test>: Not wanted here',
      'disabled@receiver.test 550 5.2.1 The mailbox is disabled',
      'bare@receiver.test 550 No',
      '',
    ].join('\n'),
  );
  const ids = ['-u', '-g'].map((which) => run('id', [which, 'vmail']).trim());
  return startPostfix('receiver', { host: HOSTS.receiver, port: 25 }, [
    'myhostname = mx.receiver.test',
    `smtp_bind_address = ${HOSTS.receiver}`,
    'smtpd_tls_cert_file = /etc/mail-test/server.pem',
    'smtpd_tls_key_file = /etc/mail-test/server-key.pem',
    'smtpd_tls_security_level = may',
    `message_size_limit = ${RECEIVER_LIMIT}`,
    `virtual_mailbox_limit = ${RECEIVER_LIMIT}`,
    'virtual_mailbox_domains = receiver.test, grey.test',
    'virtual_mailbox_maps = texthash:/etc/postfix-receiver/mailboxes',
    `virtual_mailbox_base = ${BOXES}`,
    `virtual_uid_maps = static:${ids[0]}`,
    `virtual_gid_maps = static:${ids[1]}`,
    'smtpd_recipient_restrictions = check_recipient_access texthash:/etc/postfix-receiver/access, reject_unauth_destination',
    `smtpd_milters = inet:127.0.0.1:${PORTS.verify}, inet:127.0.0.1:${PORTS.dmarc}`,
    'maximal_queue_lifetime = 12s',
    'bounce_queue_lifetime = 12s',
  ]);
};

/** Starts all installed services, each after its dependencies respond. */
export const startNetwork = async (): Promise<Network> => {
  const missing = ['postfix', 'saslpasswd2', 'opendkim', 'opendmarc', 'postgrey'].filter(isMissing);
  if (missing.length > 0) throw new Error(`Debian had no package of: ${missing.join(', ')}`);
  for (const address of Object.values(HOSTS)) run('ip', ['addr', 'add', `${address}/32`, 'dev', 'lo']);
  certificates();
  put('/etc/resolv.conf', `nameserver ${HOSTS.names}\n`);
  const names = await startNameServer(HOSTS.names, zoneOf());
  await Promise.all([
    startSigner('simple'),
    startSigner('relaxed'),
    startVerifier(),
    startOpenDmarc(),
    startPostgrey(),
  ]);
  if (!isMissing('rspamd')) await startRspamd();
  const relay = await startRelay();
  const receiver = await startReceiver();
  const exim = isMissing('exim4') ? null : await startExim(INGEST);
  const mailbox = (name: string): readonly string[] => {
    try {
      return readdirSync(`${BOXES}/${name}/new`).map((file) => textIn(`${BOXES}/${name}/new/${file}`));
    } catch {
      return [];
    }
  };
  return { relay, receiver, exim, mailbox, stop: names.stop };
};
