import { z } from 'zod';
import { longArrayIn, TOO_MANY_ITEMS } from '../../foundation/array-items.ts';
import { cleanId, isObject } from '../../foundation/json.ts';
import { isTimeZone } from '../../foundation/time-zones.ts';
import type { Traits } from './view.ts';

/** Maximum characters of a locale or time zone. Chosen: as in an event's context. */
const MAX_TAG = 64;
/** Maximum characters of a trait's name. Source: contract, Ingest and profiles. */
const MAX_TRAIT_NAME = 128;

/** Normalize addresses for storage; null if invalid. */
export type Addresses = {
  email(text: string): string | null;
  phone(text: string): string | null;
};

const read = (reads: (text: string) => string | null, message: string) =>
  z.string().transform((text, context) => {
    const known = reads(text);
    if (known !== null) return known;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

const tag = z
  .string()
  .min(1)
  .max(MAX_TAG)
  .refine((text) => cleanId(text) === text, 'must be well-formed text without U+0000');
const traits = z.custom<Readonly<Traits>>(isObject, 'must be an object').superRefine((input, context) => {
  const long = longArrayIn(input);
  if (long !== null) context.addIssue({ code: 'custom', path: [long], message: TOO_MANY_ITEMS });
  const bad = Object.keys(input).find((name) => name.length === 0 || name.length > MAX_TRAIT_NAME);
  if (bad !== undefined)
    context.addIssue({ code: 'custom', message: `trait names have 1 to ${MAX_TRAIT_NAME} characters` });
});

/** Body of `PATCH /profiles/:userId`. An omitted field keeps its value; null removes it. */
export const profileBody = ({ email, phone }: Addresses) =>
  z.strictObject({
    email: read(email, 'must be one bare email address')
      .nullish()
      .describe('Email address of the user. One bare address. Null removes it; omit it to keep the value.'),
    phone: read(phone, 'must be a phone number in E.164, such as +14155550123')
      .nullish()
      .describe('Phone number in E.164, such as +14155550123. Null removes it; omit it to keep the value.'),
    locale: tag
      .nullish()
      .describe(
        'Language of the user, such as nl-BE. Takes precedence over the locale of devices. At most 64 characters. Null removes it.',
      ),
    timezone: tag
      .refine(isTimeZone, 'must be an IANA time zone such as Europe/Paris')
      .nullish()
      .describe(
        'IANA time zone of the user, such as Europe/Paris. Takes precedence over the time zone of devices. Null removes it.',
      ),
    traits: traits
      .optional()
      .describe(
        'Traits to change. A trait that you omit keeps its value; null removes it. Names have 1 to 128 characters.',
      ),
  });
