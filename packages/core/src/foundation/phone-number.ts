import { addressText } from './address-text.ts';

/** A plus sign and 7 to 15 digits: E.164 has at most 15, and no country has fewer in all. Source: ITU-T E.164, 6. */
const E164 = /^\+[1-9]\d{6,14}$/;
/** A name instead of a number, as networks take it. Source: GSM 03.38 fits 11 characters into an address. */
const NAME = /^(?=.*[A-Za-z])[A-Za-z0-9 &+_-]{1,11}$/;
const SHORT_CODE = /^\d{3,8}$/;

/**
 * A phone number as it is stored and sent to: E.164, also where it was written with blanks, hyphens, dots or brackets.
 *
 * @returns null for anything else: numbers without `+` are not guessed at. Throws nothing.
 */
export const phoneNumber = (text: string): string | null => {
  const number = addressText(text);
  return E164.test(number) ? number : null;
};

/** True for a sender that is a name: no phone can answer it. */
export const isName = (sender: string): boolean => NAME.test(sender);

/** True for what a text message may be from: a number in E.164, a short code, a name of up to 11 characters. */
export const isSender = (text: string): boolean => E164.test(text) || SHORT_CODE.test(text) || NAME.test(text);
