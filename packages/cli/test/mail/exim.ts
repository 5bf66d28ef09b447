import { listens, put, run, start, textIn } from './files.ts';
import { HOSTS, LOGIN, SUBMISSION } from './names.ts';

const LOG = '/var/log/exim4/mainlog';

/** Exim as a relay that signs, retries only for seconds, and pipes reports to `command`. */
export const startExim = async (command: string): Promise<{ log(): string }> => {
  put(
    '/etc/exim4/exim4.conf',
    `
primary_hostname = exim.test
local_interfaces = ${HOSTS.exim}.${SUBMISSION} : ${HOSTS.exim}.25
daemon_smtp_ports = ${SUBMISSION}
spool_directory = /var/spool/exim4
log_file_path = /var/log/exim4/%slog
exim_user = Debian-exim
exim_group = Debian-exim
never_users = root
tls_advertise_hosts = *
tls_certificate = /etc/mail-test/server.pem
tls_privatekey = /etc/mail-test/exim-key.pem
auth_advertise_hosts = \${if eq{$tls_in_cipher}{}{}{*}}
smtputf8_advertise_hosts = *
host_lookup =
rfc1413_hosts =
queue_run_max = 10
acl_smtp_rcpt = acl_rcpt
acl_smtp_data = accept
smtp_accept_queue_per_connection = 1000

begin acl
acl_rcpt:
  accept authenticated = *
  accept domains = bounces.shop.test
  deny

begin routers
reports:
  driver = accept
  domains = bounces.shop.test
  transport = reports
others:
  driver = dnslookup
  transport = others
  no_more

begin transports
reports:
  driver = pipe
  command = ${command} exim
  user = beckon
  group = beckon
  # Exim gives no part of an address to a program: the report names its recipient in a header.
  envelope_to_add
others:
  driver = smtp
  interface = ${HOSTS.exim}
  dkim_domain = shop.test
  dkim_selector = exim
  dkim_private_key = /etc/mail-test/exim.pem
  dkim_canon = simple
  hosts_try_dane =
  dnssec_request_domains =
  tls_verify_certificates = /etc/mail-test/ca.pem
  tls_tempfail_tryclear

begin retry
*  *  F,6s,2s

begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if and{{eq{$auth2}{${LOGIN.user}}}{eq{$auth3}{${LOGIN.password}}}}}
  server_set_id = $auth2
`,
  );
  for (const folder of ['/var/spool/exim4', '/var/log/exim4']) {
    run('mkdir', ['-p', folder]);
    run('chown', ['Debian-exim:Debian-exim', folder]);
  }
  start('exim4', ['-bd', '-q2s']);
  const log = (): string => textIn(LOG);
  await listens(HOSTS.exim, SUBMISSION, log);
  return { log };
};
