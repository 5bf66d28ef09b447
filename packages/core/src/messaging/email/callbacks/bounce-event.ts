import { isDeadAddress, specificCode } from '../../../delivery/transports/mail-status.ts';
import type { ProviderEventOf } from '../../callbacks/reader.ts';

type Bounce = Pick<ProviderEventOf<'bounced'>, 'type' | 'isPermanent' | 'isFinal' | 'code'>;

/** What a provider reports about a bounce. */
export type BounceFacts = {
  /**
   * The provider reports that the recipient's server does not know the address. The provider's own lists and rules do
   * not count.
   */
  readonly isHard: boolean;
  /** The provider does not retry. */
  readonly isFinal: boolean;
  /** Code in the provider's vocabulary. */
  readonly code: string | null;
  /** Enhanced status code and text of the recipient's server, if the provider passes them on. */
  readonly status?: string | null;
  readonly text?: string | null;
};

/**
 * Makes a bounce event. The code of the recipient's server outranks a provider's statement that an address is dead: it
 * may contradict it, and is then the code of the event. It never makes an address dead that the provider calls usable.
 */
export const bounceOf = ({ isHard, isFinal, code, status, text }: BounceFacts): Bounce => {
  const serverCode = specificCode(status ?? '', text ?? '');
  const isRetracted = isHard && serverCode !== null && !isDeadAddress(serverCode, text ?? '');
  return {
    type: 'bounced',
    isPermanent: isHard && !isRetracted,
    isFinal: isHard || isFinal,
    code: isRetracted ? serverCode : code,
  };
};

/**
 * Subtypes of a permanent bounce after which the address is dead. Others are decisions of SES: its suppression list
 * (`Suppressed`, `OnAccountSuppressionList`), a subscription list (`UnsubscribedRecipient`), or new ones. Source: SES,
 * Bounce types. Resend sends through SES and uses the same names.
 */
const DEAD_SUBTYPES = new Set(['General', 'NoEmail']);

/** A bounce event from SES names. A bounce that is not permanent may be an out-of-office reply: the email arrived. */
export const sesBounceOf = ({
  kind,
  subtype,
  ...code
}: { readonly kind: string | null; readonly subtype: string | null } & Pick<
  BounceFacts,
  'status' | 'text'
>): Bounce => {
  const isFinal = kind === 'Permanent';
  const isHard = isFinal && (subtype === null || DEAD_SUBTYPES.has(subtype));
  return bounceOf({ isHard, isFinal, code: subtype ?? kind, ...code });
};
