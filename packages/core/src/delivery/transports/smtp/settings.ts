import { isIP } from 'node:net';
import { isUnreachable, loopbackRules, onlyNetworks } from '../../../foundation/net/addresses.ts';
import type { Guard } from '../../../foundation/net/connect.ts';
import { hostMatches } from '../../../foundation/net/urls.ts';
import { isOneLine } from '../../../foundation/one-line.ts';
import type { SettingsProblem } from '../port.ts';

/** A relay that takes mail of a project. */
export type SmtpSettings = {
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** True: TLS from the first byte (port 465). False: STARTTLS, which is then required unless `tls` is `none`. */
  readonly secure: boolean;
  /** `none`: clear text, only to hosts within `allowCidrs`, and with a user only to this machine. Default `required`. */
  readonly tls?: 'required' | 'none' | undefined;
  /** With `password`, or neither. */
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** Whom mail is from that names no sender, and the name shown with it; the transport itself uses neither. */
  readonly from?: string | undefined;
  readonly name?: string | undefined;
};

/** What the operator lets relays be. */
export type SmtpRules = {
  readonly allowedPorts?: readonly number[] | undefined;
  readonly allowedHosts?: readonly string[] | undefined;
  /** Networks that may be connected to although they are not public, and the only ones for mail without TLS. */
  readonly allowCidrs?: readonly string[] | undefined;
};

/** Ports of relays. Source: transports, Transport options. */
export const SMTP_PORTS: readonly number[] = [25, 465, 587, 2525];
/** Ports of relays without TLS: those, and that of mail catchers for development such as Mailpit and MailHog. */
const CLEAR_PORTS: readonly number[] = [...SMTP_PORTS, 1025];
const portsOf = ({ tls }: SmtpSettings, { allowedPorts }: SmtpRules): readonly number[] =>
  allowedPorts ?? (tls === 'none' ? CLEAR_PORTS : SMTP_PORTS);
const HOST = /^(?=.{1,253}$)[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i;
const ADDRESS = /^[^\s\p{Cc}<>,;:"()[\]\\@]{1,64}@[^\s\p{Cc}<>,;:"()[\]\\@]{1,253}$/u;
const MAX_SECRET = 1_024;
/** As of a name in a mail. Chosen: a longer one without a blank could not be folded. */
const MAX_NAME_CHARACTERS = 128;
/** What is wrong with a name that `isDisplayName` refuses. */
export const DISPLAY_NAME_RULE = `The name must be one line of at most ${MAX_NAME_CHARACTERS} characters.`;

/** True for a name that can stand beside the address of a sender. Throws nothing. */
export const isDisplayName = (name: string): boolean => name.length <= MAX_NAME_CHARACTERS && isOneLine(name);

/** A bare mailbox that holds nothing that ends one or begins another. */
export const isAddress = (text: string): boolean => ADDRESS.test(text);

/** False where the operator does not let relays have this host or port. Where a name leads to is judged later. */
export const isAllowedRelay = (settings: SmtpSettings, rules: SmtpRules): boolean =>
  portsOf(settings, rules).includes(settings.port) &&
  (rules.allowedHosts === undefined || hostMatches(settings.host, rules.allowedHosts));

/**
 * What the addresses of a relay are judged by. Without TLS anyone on the path reads the mail, and the password: such mail
 * stays within networks that the operator names, and a password on this machine. Throws nothing.
 *
 * @param guard what connections with TLS are judged by; made of the same `allowCidrs`
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
 * What is wrong with settings; empty when nothing is. Asks nobody. Throws nothing.
 *
 * @param guard what literal addresses are judged by; names are judged when they are looked up
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
