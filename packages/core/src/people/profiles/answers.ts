import { z } from 'zod';
import { answersOf, freeForm, scopeFields } from '../../foundation/answers.ts';
import { PLATFORMS } from '../../foundation/device-platform.ts';
import type { Answers } from './answers.generated.ts';

/** Schemas of the answers about profiles and devices. */
export const profileAnswers = answersOf<Answers>()(() => {
  const AudienceSummary = z
    .object({ id: z.uuid().describe('Id of the audience.'), name: z.string().describe('Name of the audience.') })
    .describe('Id and name of an audience.');
  const PushToken = z
    .object({
      id: z.uuid().describe('Id of the device.'),
      ...scopeFields('device'),
      userId: z.string().nullable().describe('User of the device; null if unknown.'),
      anonymousId: z.string().nullable().describe('Anonymous id of the visitor; null if there is none.'),
      platform: z.enum(PLATFORMS).describe('Platform of the device.'),
      token: z.string().describe('Device token; of a browser the JSON of its push subscription.'),
      locale: z.string().nullable().describe('Locale of the device (BCP 47); null if unknown.'),
      timezone: z.string().nullable().describe('IANA time zone of the device; null if unknown.'),
      appVersion: z.string().nullable().describe('Version of the app; null if unknown.'),
      apnsEnvironment: z
        .enum(['production', 'sandbox'])
        .nullable()
        .describe('APNs host of the token; null if unknown or not iOS.'),
      isActive: z.boolean().describe('Whether the device receives pushes.'),
      createdAt: z.date().describe('When the device registered first.'),
      updatedAt: z.date().describe('When the device registered last.'),
    })
    .describe('A device that can receive pushes.');
  return {
    AudienceSummary,
    PushToken,
    Profile: z
      .object({
        userId: z.string().nullable().describe('Id of the user; null for an anonymous visitor.'),
        anonymousId: z.string().nullable().describe('Anonymous id of the visitor; null if there is none.'),
        traits: freeForm().describe('Traits by name.'),
        email: z.string().nullable().describe('Email address that overrides the trait `email`; null if not set.'),
        phone: z
          .string()
          .nullable()
          .describe('Phone number (E.164) that overrides the trait `phone`; null if not set.'),
        locale: z.string().nullable().describe('Locale (BCP 47); null if unknown.'),
        timezone: z.string().nullable().describe('IANA time zone; null if unknown.'),
        createdAt: z.date().describe('When the profile was created.'),
        lastSeenAt: z.date().describe('When the user was last active.'),
        _truncated: z.literal(true).optional().describe('Present if traits were cut because they were too large.'),
        tokens: z
          .array(PushToken)
          .optional()
          .describe('The newest 100 devices, inactive ones included; only for a single profile.'),
        audiences: z
          .array(AudienceSummary)
          .optional()
          .describe('Audiences of the user, newest first; only for a single profile.'),
      })
      .describe('What Beckon stores about one user.'),
  };
});
