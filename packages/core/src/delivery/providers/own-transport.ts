import type { Channel } from '../../foundation/channel.ts';
import type { Platform } from '../../foundation/device-platform.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { HostTransport, Mailbox, MessageOf } from '../transports/port.ts';

/** A host program's own transport for messages of one channel. */
export type OwnTransport<C extends Channel> = {
  /** Name in health and settings: 1 to 32 characters of a to z, 0 to 9 and hyphens, and not the name of a provider. */
  readonly name: string;
  /**
   * Creates the transport of a scope at its first message there. It is closed with the service and created again after
   * that.
   */
  make(scope: Scope): HostTransport<MessageOf[C]> | Promise<HostTransport<MessageOf[C]>>;
  /** Time limit of a call in milliseconds; default 10,000, at most 25,000, which is below the lease. */
  readonly limitMs?: number | undefined;
};

/**
 * Transports that send in `prod` instead of configured credentials; `test` keeps the sandbox. They need no settings,
 * and settings of the replaced provider can only be removed.
 */
export type OwnTransports = {
  readonly push?: { readonly [P in Platform]?: OwnTransport<'push'> | undefined } | undefined;
  /** `from` is the default sender of mail. */
  readonly email?: (OwnTransport<'email'> & { readonly from: Mailbox }) | undefined;
  readonly sms?: OwnTransport<'sms'> | undefined;
};
