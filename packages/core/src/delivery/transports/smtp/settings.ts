import { isIP } from 'node:net';
import { isUnreachable, loopbackRules, onlyNetworks } from '../../../foundation/net/addresses.ts';
import type { Guard } from '../../../foundation/net/connect.ts';
import { hostMatches } from '../../../foundation/net/urls.ts';
import { isOneLine } from '../../../foundation/one-line.ts';
import type { SettingsProblem } from '../port.ts';

/** A project's mail relay. */
export type SmtpSettings = {
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** True: TLS from the first byte (port 465). False: STARTTLS, which is then required unless `tls` is `none`. */
  readonly secure: boolean;
  /** `none`: clear text, only to hosts within `allowCidrs`, and with a user only to this machine. Default `required`. */
  readonly tls?: 'required' | 'none' | undefined;
  /** Set together with `password`, or not at all. */
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** The default sender and its display name; the transport itself uses neither. */
  readonly from?: string | undefined;
  readonly name?: string | undefined;
};

/** The operator's rules for relays. */
export type SmtpRules = {
  readonly allowedPorts?: readonly number[] | undefined;
  readonly allowedHosts?: readonly string[] | undefined;
  /** Non-public networks that may be reached, and the only networks for mail without TLS. */
  readonly allowCidrs?: readonly string[] | undefined;
};

/** Ports of relays. Source: transports, Transport options. */
export const SMTP_PORTS: readonly number[] = [25, 465, 587, 2525];
/** Ports of relays without TLS: `SMTP_PORTS` and that of development mail catchers such as Mailpit and MailHog. */
const CLEAR_PORTS: readonly number[] = [...SMTP_PORTS, 1025];
const portsOf = ({ tls }: SmtpSettings, { allowedPorts }: SmtpRules): readonly number[] =>
  allowedPorts ?? (tls === 'none' ? CLEAR_PORTS : SMTP_PORTS);
const HOST = /^(?=.{1,253}$)[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i;
const ADDRESS = /^[^\s\p{Cc}<>,;:"()[\]\\@]{1,64}@[^\s\p{Cc}<>,;:"()[\]\\@]{1,253}$/u;
const MAX_SECRET = 1_024;
/** Maximum characters of a name in a mail. Chosen: a longer one without a blank could not be folded. */
const MAX_NAME_CHARACTERS = 128;
/** The problem of a name that `isDisplayName` refuses. */
export const DISPLAY_NAME_RULE = `The name must be one line of at most ${MAX_NAME_CHARACTERS} characters.`;

/** True for a valid display name of a sender. Throws nothing. */
export const isDisplayName = (name: string): boolean => name.length <= MAX_NAME_CHARACTERS && isOneLine(name);

/** A bare address without characters that end one or begin another. */
export const isAddress = (text: string): boolean => ADDRESS.test(text);

/** False if the operator does not allow this host or port. The resolved address is checked later. */
export const isAllowedRelay = (settings: SmtpSettings, rules: SmtpRules): boolean =>
  portsOf(settings, rules).includes(settings.port) &&
  (rules.allowedHosts === undefined || hostMatches(settings.host, rules.allowedHosts));

/**
 * The guard for the addresses of a relay. Without TLS anyone on the path can read the mail and the password, so such
 * mail stays within networks that the operator names, and a password on this machine. Throws nothing.
 *
 * @param guard the guard for connections with TLS, made with the same `allowCidrs`
 * Source: contract 14, SMTP without TLS.
 */
export const relayGuard = ({ tls, user }: SmtpSettings, { allowCidrs = [] }: SmtpRules, guard: Guard): Guard => {
  if (tls !== 'none') return guard;
  const listed = onlyNetworks(allowCidrs);
  const allows = (address: string): boolean =>
    listed.allows(address) && (user === undefined || loopbackRules.allows(address));
  return { ...guard, rules: { allows } };
};

/** Why `relayGuard` refuses a host without TLS. */
export const CLEAR_TEXT_RULE =
  'Without TLS mail goes only to hosts within net.allowCidrs (outbound.allowCidrs), and with a user only to this machine.';

/**
 * Problems of the settings; empty if valid. No network. Throws nothing.
 *
 * @param guard checks literal addresses; names are checked when they are resolved
 */
export const checkSmtp = (settings: SmtpSettings, rules: SmtpRules, guard: Guard): readonly SettingsProblem[] => {
  const { host, tls, secure, user, password, from, name } = settings;
  const problems: SettingsProblem[] = [];
  const unless = (isRight: boolean, field: keyof SmtpSettings, message: string): void => {
    if (!isRight) problems.push({ field, message });
  };
  const isHost = isIP(host) !== 0 || HOST.test(host);
  unless(isHost, 'host', 'The host must be a name in ASCII or an address.');
  if (isHost) {
    unless(
      !isUnreachable(host, relayGuard(settings, rules, guard).rules),
      'host',
      tls === 'none'
        ? CLEAR_TEXT_RULE
        : "The host is an address that may not be connected to: a server of one's own network is allowed by net.allowCidrs (outbound.allowCidrs).",
    );
    unless(isAllowedRelay(settings, { ...rules, allowedPorts: [settings.port] }), 'host', 'The host is not allowed.');
  }
  const ports = portsOf(settings, rules);
  unless(ports.includes(settings.port), 'port', `The port must be one of ${ports.join(', ')}.`);
  unless(tls !== 'none' || !secure, 'tls', '"none" does not go with secure, which is TLS from the first byte.');
  const isSecret = (text: string): boolean => text !== '' && text.length <= MAX_SECRET && isOneLine(text);
  if (user !== undefined) unless(isSecret(user), 'user', 'The user must be one line of 1 to 1,024 characters.');
  if (password !== undefined)
    unless(isSecret(password), 'password', 'The password must be one line of 1 to 1,024 characters.');
  unless(user === undefined || password !== undefined, 'password', 'A user needs a password.');
  unless(password === undefined || user !== undefined, 'user', 'A password needs a user.');
  if (from !== undefined) unless(isAddress(from), 'from', 'The sender must be one address.');
  if (name !== undefined) unless(isDisplayName(name), 'name', DISPLAY_NAME_RULE);
  return problems;
};
