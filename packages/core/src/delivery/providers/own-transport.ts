import type { Channel } from '../../foundation/channel.ts';
import type { Platform } from '../../foundation/device-platform.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { HostTransport, Mailbox, MessageOf } from '../transports/port.ts';

/** A host's own way to send messages of one channel. */
export type OwnTransport<C extends Channel> = {
  /** What health and settings call it: 1 to 32 of a to z, 0 to 9 and hyphens, and no provider's name. */
  readonly name: string;
  /** Makes the one of a scope when it first sends there; closed with the service, and made again after that. */
  make(scope: Scope): HostTransport<MessageOf[C]> | Promise<HostTransport<MessageOf[C]>>;
  /** When a call is given up, in milliseconds; default 10,000, at most 25,000: below the lease. */
  readonly limitMs?: number | undefined;
};

/**
 * What sends in `prod` in place of configured credentials, by what it takes; `test` stays with the sandbox. It needs no
 * settings, and those of the provider in its place can only be removed.
 */
export type OwnTransports = {
  readonly push?: { readonly [P in Platform]?: OwnTransport<'push'> | undefined } | undefined;
  /** `from` is the sender of mail that names none. */
  readonly email?: (OwnTransport<'email'> & { readonly from: Mailbox }) | undefined;
  readonly sms?: OwnTransport<'sms'> | undefined;
};
