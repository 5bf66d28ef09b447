import { z } from 'zod';
import { addressText } from '../../foundation/address-text.ts';
import { mailAddress } from '../../foundation/email-address.ts';
import { isSender, phoneNumber } from '../../foundation/phone-number.ts';
import { LIST_REASONS } from '../sends/listed.ts';

/** Channels with a suppression list; push tokens have their own state. */
export const LIST_CHANNELS = ['email', 'sms'] as const;
export type ListChannel = (typeof LIST_CHANNELS)[number];

/** Who added the entry: an operator, a provider's answer or report, or the recipient. */
export const LIST_SOURCES = ['api', 'provider', 'person'] as const;
export type ListSource = (typeof LIST_SOURCES)[number];

/** Maximum addresses of one call. Chosen: one statement of some milliseconds. */
export const MAX_ADDRESSES = 1_000;

const parsed = (parse: (text: string) => string | null, message: string) =>
  z.string().transform((text, context) => {
    const address = parse(text);
    if (address !== null) return address;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

const ADDRESS = {
  email: parsed(mailAddress, 'must be an email address such as ann@example.com'),
  sms: parsed(phoneNumber, 'must be a phone number in E.164, such as +14155550123'),
} as const satisfies Record<ListChannel, z.ZodType>;

/** SMS only: a number, a name, or the id of a messaging service. */
const sender = z
  .string()
  .overwrite(addressText)
  .refine((text) => isSender(text) || /^[\w-]{1,64}$/.test(text), 'must be a sender, or the id of a messaging service')
  .optional();

const fieldsOf = (channel: ListChannel) => ({
  address: ADDRESS[channel].optional().describe('Address to change. Exactly one of address and addresses.'),
  addresses: z
    .array(ADDRESS[channel])
    .min(1)
    .max(MAX_ADDRESSES)
    .optional()
    .describe('Addresses to change. 1 to 1,000. Exactly one of address and addresses.'),
  ...(channel === 'sms'
    ? {
        sender: sender.describe(
          'Your sender that the entry is for. A number, a name or a messaging service. Default: every sender.',
        ),
      }
    : {}),
});

const one = ({ address, addresses }: { address?: string | undefined; addresses?: readonly string[] | undefined }) =>
  (address === undefined) !== (addresses === undefined);
const EXACTLY_ONE = { path: ['address'], message: 'pass exactly one of address and addresses' };

const reason = z.enum(LIST_REASONS);

/** Bodies that add addresses to a list and remove them. */
export const additions = {
  email: z
    .strictObject({
      ...fieldsOf('email'),
      reason: reason
        .exclude(['sms_stopped'])
        .default('manual')
        .describe('Why nothing may be sent there. Default: manual.'),
    })
    .refine(one, EXACTLY_ONE),
  sms: z
    .strictObject({
      ...fieldsOf('sms'),
      reason: reason.default('manual').describe('Why nothing may be sent there. Default: manual.'),
    })
    .refine(one, EXACTLY_ONE),
} as const;
export const removals = {
  email: z
    .strictObject({
      ...fieldsOf('email'),
      reason: reason.optional().describe('Entries to remove. Default: entries with any reason.'),
    })
    .refine(one, EXACTLY_ONE),
  sms: z
    .strictObject({
      ...fieldsOf('sms'),
      reason: reason.optional().describe('Entries to remove. Default: entries with any reason.'),
    })
    .refine(one, EXACTLY_ONE),
} as const;
