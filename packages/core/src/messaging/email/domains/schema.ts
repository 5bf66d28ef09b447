import { z } from 'zod';
import { domainOf, mailAddress } from '../../../foundation/email-address.ts';
import { fieldErrorsOf, validationError } from '../../../foundation/errors.ts';

/** A lower-case domain with at least two labels; internationalised names as punycode. */
const domainName = z
  .string()
  .max(253)
  .transform((text) => {
    const address = mailAddress(`a@${text.replace(/\.$/, '')}`);
    return address === null ? '' : domainOf(address).toLowerCase();
  })
  .refine((domain) => domain.includes('.'), 'must be a domain such as example.com');

/** Body of a new domain. Source: contract, Sends and messages. */
export const emailDomainBody = z.strictObject({
  domain: domainName.describe('Domain of your From addresses, such as example.com. At most 253 characters.'),
  dkim: z.boolean().default(false).describe('Whether Beckon signs emails with a DKIM key of its own. Default: false.'),
});

/** @throws VALIDATION_ERROR */
export const parseEmailDomain = (body: unknown): z.output<typeof emailDomainBody> => {
  const parsed = emailDomainBody.safeParse(body);
  if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
  return parsed.data;
};
