import { domainToASCII } from 'node:url';
import { addressText } from './address-text.ts';

/** Octets of an address. Source: RFC 5321, 4.5.3.1.3 (a path of 256 with its angle brackets). */
export const MAX_ADDRESS_OCTETS = 254;
/** Octets before the at sign. Source: RFC 5321, 4.5.3.1.1. */
export const MAX_LOCAL_OCTETS = 64;

// Mail libraries parse address strings, so characters that separate mailboxes or end a line are excluded.
const LOCAL = /^[^\s\p{Cc}\p{Cs}\u2028\u2029<>,;:"()[\]\\@]+$/u;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const DIGITS = /^\d+$/;
const MAX_DOMAIN = 253;

/**
 * One bare mailbox as it is stored and sent to: without white space around it, the local part unchanged, the domain in
 * lower case and in punycode if it is internationalised.
 *
 * @returns null for anything else: line breaks, NUL, U+2028, angle brackets, commas, quotes or inner white space,
 * display names, literal IP domains, and more octets than RFC 5321 allows. Throws nothing.
 */
export const mailAddress = (input: string): string | null => {
  const text = addressText(input);
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  if (!LOCAL.test(local) || Buffer.byteLength(local) > MAX_LOCAL_OCTETS) return null;
  const unicodeDomain = text.slice(at + 1);
  // The URL parser drops tabs and line breaks and ends a host at some characters, none of which a domain may contain.
  if (unicodeDomain.length > MAX_DOMAIN || !/^[\p{L}\p{M}\p{N}.-]+$/u.test(unicodeDomain)) return null;
  const domain = domainToASCII(unicodeDomain);
  const labels = domain.split('.');
  if (domain.length > MAX_DOMAIN || !labels.every((label) => LABEL.test(label))) return null;
  if (DIGITS.test(labels.at(-1) ?? '')) return null;
  const address = `${local}@${domain}`;
  return Buffer.byteLength(address) > MAX_ADDRESS_OCTETS ? null : address;
};

/**
 * Key by which addresses are compared. Chosen: case is ignored, since letters of either case reach the same mailbox.
 */
export const addressKey = (address: string): string => addressText(address).toLowerCase();

/** The domain of an address. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);
