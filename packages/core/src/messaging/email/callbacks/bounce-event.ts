import { isDeadAddress, specificCode } from '../../../delivery/transports/mail-status.ts';
import type { ProviderEventOf } from '../../callbacks/reader.ts';

type Bounce = Pick<ProviderEventOf<'bounced'>, 'type' | 'isPermanent' | 'isFinal' | 'code'>;

/** What a provider posts about a bounce. */
export type BounceFacts = {
  /** The provider says that the recipient's server does not know the address. Its own lists and rules are no such word. */
  readonly isHard: boolean;
  /** The provider does not try again. */
  readonly isFinal: boolean;
  /** A word of the provider's vocabulary. */
  readonly code: string | null;
  /** The enhanced status code that the recipient's server gave, and what it said, where the provider passes them on. */
  readonly status?: string | null;
  readonly text?: string | null;
};

/**
 * A bounce as an event. The code of the recipient's server stands above a provider's word that an address is dead: it may
 * take the word back, and is then the code of the event. It never makes an address dead that the provider calls usable.
 */
export const bounceOf = ({ isHard, isFinal, code, status, text }: BounceFacts): Bounce => {
  const said = specificCode(status ?? '', text ?? '');
  const isRetracted = isHard && said !== null && !isDeadAddress(said, text ?? '');
  return {
    type: 'bounced',
    isPermanent: isHard && !isRetracted,
    isFinal: isHard || isFinal,
    code: isRetracted ? said : code,
  };
};

/**
 * Kinds of a permanent bounce after which the address takes no mail. The others are decisions of SES: of its suppression
 * list (`Suppressed`, `OnAccountSuppressionList`), of a list of subscriptions (`UnsubscribedRecipient`), or new ones.
 * Source: SES, Bounce types. Resend sends through SES and has the same words.
 */
const DEAD_SUBTYPES = new Set(['General', 'NoEmail']);

/** A bounce in the words of SES. Others than permanent ones may be answers of a person on holiday: the mail arrived. */
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
