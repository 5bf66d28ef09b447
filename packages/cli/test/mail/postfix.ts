import { join } from 'node:path';
import { listens, put, run, start, textIn } from './files.ts';

const SERVICES = `
pickup    unix  n - n 60 1 pickup
cleanup   unix  n - n -  0 cleanup
qmgr      unix  n - n 300 1 qmgr
tlsmgr    unix  - - n 1000? 1 tlsmgr
rewrite   unix  - - n -  - trivial-rewrite
bounce    unix  - - n -  0 bounce
defer     unix  - - n -  0 bounce
trace     unix  - - n -  0 bounce
verify    unix  - - n -  1 verify
flush     unix  n - n 1000? 0 flush
proxymap  unix  - - n -  - proxymap
smtp      unix  - - n -  - smtp
relay     unix  - - n -  - smtp
showq     unix  n - n -  - showq
error     unix  - - n -  - error
retry     unix  - - n -  - error
discard   unix  - - n -  - discard
local     unix  - n n -  - local
virtual   unix  - n n -  - virtual
anvil     unix  - - n -  1 anvil
scache    unix  - - n -  1 scache
postlog   unix-dgram n - n - 1 postlogd
`;

export type Postfix = { log(): string };

/**
 * Starts an instance of Postfix.
 *
 * @param settings additional lines of main.cf
 * @param services additional lines of master.cf
 */
export const startPostfix = async (
  name: string,
  { host, port }: { readonly host: string; readonly port: number },
  settings: readonly string[],
  services: readonly string[] = [],
): Promise<Postfix> => {
  const folder = name === 'relay' ? '/etc/postfix' : `/etc/postfix-${name}`;
  const queue = `/var/spool/postfix-${name}`;
  const logFile = `/var/log/postfix-${name}.log`;
  put(
    join(folder, 'main.cf'),
    [
      'compatibility_level = 3.6',
      'command_directory = /usr/sbin',
      'daemon_directory = /usr/lib/postfix/sbin',
      `queue_directory = ${queue}`,
      `data_directory = /var/lib/postfix-${name}`,
      `maillog_file = ${logFile}`,
      'alternate_config_directories = /etc/postfix-receiver',
      `inet_interfaces = ${host}`,
      'inet_protocols = ipv4',
      'mydestination =',
      'mynetworks =',
      'local_recipient_maps =',
      'smtputf8_enable = yes',
      'smtp_tls_security_level = may',
      'milter_default_action = tempfail',
      'milter_protocol = 6',
      'minimal_backoff_time = 1s',
      'maximal_backoff_time = 2s',
      'queue_run_delay = 1s',
      ...settings,
      '',
    ].join('\n'),
  );
  const listener = `${host}:${port} inet n - n - - smtpd`;
  put(join(folder, 'master.cf'), [listener, ...services, SERVICES].join('\n'));
  put(join(folder, 'dynamicmaps.cf'), '');
  run('mkdir', ['-p', queue, `/var/lib/postfix-${name}`]);
  run('chown', ['postfix', `/var/lib/postfix-${name}`]);
  start('postfix', ['-c', folder, 'start']);
  const log = (): string => textIn(logFile);
  await listens(host, port, log);
  return { log };
};
