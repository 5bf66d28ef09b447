import { addressText } from './address-text.ts';

/**
 * A plus sign and 7 to 15 digits: E.164 allows at most 15, and no country uses fewer than 7. Source: ITU-T E.164, 6.
 */
const E164 = /^\+[1-9]\d{6,14}$/;
/** An alphanumeric sender. Source: an address of GSM 03.38 fits 11 characters. */
const NAME = /^(?=.*[A-Za-z])[A-Za-z0-9 &+_-]{1,11}$/;
const SHORT_CODE = /^\d{3,8}$/;

/**
 * Normalises a phone number to E.164; blanks, hyphens, dots and brackets are removed.
 *
 * @returns null for anything else; a number without `+` is not completed. Throws nothing.
 */
export const phoneNumber = (text: string): string | null => {
  const number = addressText(text);
  return E164.test(number) ? number : null;
};

/** True for an alphanumeric sender, to which no phone can reply. */
export const isName = (sender: string): boolean => NAME.test(sender);

/** True for a valid SMS sender: a number in E.164, a short code, or a name of up to 11 characters. */
export const isSender = (text: string): boolean => E164.test(text) || SHORT_CODE.test(text) || NAME.test(text);
