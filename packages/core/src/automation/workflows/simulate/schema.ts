import { z } from 'zod';
import { longArrayIn, TOO_MANY_ITEMS } from '../../../foundation/array-items.ts';
import { CHANNELS } from '../../../foundation/channel.ts';
import { PLATFORMS } from '../../../foundation/device-platform.ts';
import { fieldErrorsOf, validationError } from '../../../foundation/errors.ts';
import { isRowId } from '../../../foundation/ids.ts';
import { isPlainObject, normaliseFreeForm } from '../../../foundation/json.ts';
import { isMoment, MOMENT_OUT_OF_RANGE } from '../../../foundation/moments.ts';
import { zoneClock } from '../../../foundation/zone-clock.ts';
import { STEP_OUTCOMES } from '../../runs/schema.ts';
import { eventName, MAX_DELAY_MINUTES, storableText } from '../../runs/steps/fields.ts';

/** Maximum characters of a user id, an address or a reason. Chosen: above real values. */
const MAX_TEXT = 1_000;
/** Maximum devices of a user. Chosen: a push to each is rendered. */
const MAX_DEVICES = 10;
/** Maximum answers, events and templates of a simulation. Chosen: a workflow has at most 100 steps. */
const MAX_ENTRIES = 100;

const text = storableText(MAX_TEXT);
const members = z
  .custom<Readonly<Record<string, unknown>>>(isPlainObject, 'must be an object')
  .superRefine((input, context) => {
    const long = longArrayIn(input);
    if (long !== null) context.addIssue({ code: 'custom', path: [long], message: TOO_MANY_ITEMS });
  });
const moment = z.iso.datetime({ offset: true }).refine((text) => isMoment(Date.parse(text)), MOMENT_OUT_OF_RANGE);
const few = <Value extends z.ZodType>(value: Value) =>
  z
    .record(text, value)
    .refine((entries) => Object.keys(entries).length <= MAX_ENTRIES, `must have at most ${MAX_ENTRIES} keys`);

const zone = text.refine((name) => zoneClock(name) !== null, 'must be an IANA zone such as Europe/Berlin');
const person = {
  userId: text.optional().describe('Id of the user. Default: an anonymous user.'),
  anonymousId: text.optional().describe('Id of a visitor without a user. Default: none.'),
};

/** Input of a simulation. */
export const simulateBody = z.strictObject({
  /** The name defaults to the trigger's. */
  event: z
    .strictObject({
      ...person,
      eventType: eventName.optional().describe("Name of the event. Default: the trigger's."),
      module: text.optional().describe('Part of your product that the event belongs to. Default: simulation.'),
      properties: members.optional().describe('Properties of the event. Default: none.'),
    })
    .describe('Event that starts the simulated run.'),
  /** Overrides the stored profile. */
  user: z
    .strictObject({
      ...person,
      traits: members
        .optional()
        .describe('Traits that replace those of the stored profile. Default: the stored traits.'),
      email: text.nullable().optional().describe('Email address. Null for none. Default: the stored address.'),
      phone: text.nullable().optional().describe('Phone number. Null for none. Default: the stored number.'),
      locale: text
        .nullable()
        .optional()
        .describe('Language, such as nl-BE. Null for none. Default: the stored locale.'),
      timezone: zone.nullable().optional().describe('IANA time zone. Null for none. Default: the stored time zone.'),
      devices: z
        .array(
          z.strictObject({
            platform: z.enum(PLATFORMS).describe('Platform of the device.'),
            locale: text.optional().describe('Language of the device. Default: none.'),
          }),
        )
        .max(MAX_DEVICES)
        .optional()
        .describe('Devices for push. At most 10. Default: the registered devices.'),
      /** Ids of audiences that the user is in. */
      audiences: z
        .array(text)
        .max(MAX_ENTRIES)
        .optional()
        .describe('Ids of the audiences that the user is in. At most 100. Default: as stored.'),
    })
    .optional()
    .describe('User of the run. Its fields replace those of the stored profile. Default: the stored profile.'),
  /** Time of the event. Default: now. */
  now: moment.optional().describe('Start of the simulated time. ISO 8601 with an offset. Default: now.'),
  /** Time zone of the org, overriding the settings. */
  timezone: zone.optional().describe("Time zone of the organization. IANA name. Default: the project's setting."),
  answers: z
    .strictObject({
      /** Results of steps that are not executed, by path, `saveAs` or name. */
      steps: few(
        z.strictObject({
          outcome: z.enum(STEP_OUTCOMES).optional().describe('Outcome of the step. Default: ok.'),
          reason: text.optional().describe('Reason of the outcome. Default: none.'),
          output: members.optional().describe('Output that the step saves. Default: none.'),
          httpStatus: z
            .int()
            .min(100)
            .max(599)
            .optional()
            .describe('HTTP status that a webhook step receives. 100 to 599. Default: none.'),
        }),
      )
        .optional()
        .describe('Results to use instead of running steps, by path, saveAs or name. At most 100. Default: none.'),
      /** Later events of the user, relative to the first one. */
      events: z
        .array(
          z.strictObject({
            eventType: eventName.describe('Name of the event. 1 to 128 characters.'),
            properties: members.optional().describe('Properties of the event. Default: none.'),
            afterMinutes: z
              .number()
              .min(0)
              .max(MAX_DELAY_MINUTES)
              .describe('Minutes after the first event. At most 525,600.'),
          }),
        )
        .max(MAX_ENTRIES)
        .optional()
        .describe('Later events of the user. At most 100. Default: none.'),
      /** Templates by id. */
      templates: z
        .record(
          z.string().refine(isRowId, 'must be the id of a template'),
          z.strictObject({
            channel: z.enum(CHANNELS).describe('Channel of the template.'),
            content: members.describe('Fields of the template.'),
          }),
        )
        .refine((entries) => Object.keys(entries).length <= MAX_ENTRIES, `must have at most ${MAX_ENTRIES} keys`)
        .optional()
        .describe('Templates by id, used instead of the stored ones. At most 100. Default: none.'),
    })
    .optional()
    .describe('Results of steps, later events and templates. Default: none.'),
});

export type SimulateBody = z.output<typeof simulateBody>;

/** Parses the input of a simulation; a user or anonymous id is required. Throws VALIDATION_ERROR. */
export const parseSimulate = (value: unknown): SimulateBody => {
  const parsed = simulateBody.safeParse(value);
  if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
  // The schema silently drops a key `__proto__`; checking the input rejects it.
  normaliseFreeForm(value);
  const { event, user = {} } = parsed.data;
  if ([event.userId, event.anonymousId, user.userId, user.anonymousId].every((id) => id === undefined))
    throw validationError({ 'user.userId': ['userId or anonymousId is required, in event or in user'] });
  return normaliseFreeForm(parsed.data);
};
