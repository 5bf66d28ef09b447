import { z } from 'zod';
import { longArrayIn, TOO_MANY_ITEMS } from '../../../foundation/array-items.ts';
import { CHANNELS } from '../../../foundation/channel.ts';
import { PLATFORMS } from '../../../foundation/device-platform.ts';
import { fieldErrorsOf, validationError } from '../../../foundation/errors.ts';
import { isRowId } from '../../../foundation/ids.ts';
import { isPlainObject, normaliseFreeForm } from '../../../foundation/json.ts';
import { isMoment, NO_MOMENT } from '../../../foundation/moments.ts';
import { zoneClock } from '../../../foundation/zone-clock.ts';
import { STEP_OUTCOMES } from '../../runs/schema.ts';
import { eventName, MAX_DELAY_MINUTES, storableText } from '../../runs/steps/fields.ts';

/** Characters of an id of a person, an address or a reason; ours. */
const MAX_TEXT = 1_000;
/** Devices of a person; ours: a push to each is rendered. */
const MAX_DEVICES = 10;
/** Answers, events and templates of one simulation; ours: a workflow has at most 100 steps. */
const MAX_ENTRIES = 100;

const text = storableText(MAX_TEXT);
const members = z
  .custom<Readonly<Record<string, unknown>>>(isPlainObject, 'must be an object')
  .superRefine((input, context) => {
    const long = longArrayIn(input);
    if (long !== null) context.addIssue({ code: 'custom', path: [long], message: TOO_MANY_ITEMS });
  });
const moment = z.iso.datetime({ offset: true }).refine((text) => isMoment(Date.parse(text)), NO_MOMENT);
const few = <Value extends z.ZodType>(value: Value) =>
  z
    .record(text, value)
    .refine((entries) => Object.keys(entries).length <= MAX_ENTRIES, `must have at most ${MAX_ENTRIES} keys`);

const zone = text.refine((name) => zoneClock(name) !== null, 'must be an IANA zone such as Europe/Berlin');
const person = { userId: text.optional(), anonymousId: text.optional() };

/** What a simulation is given. */
export const simulateBody = z.strictObject({
  /** Its name is the trigger's where it has none. */
  event: z.strictObject({
    ...person,
    eventType: eventName.optional(),
    module: text.optional(),
    properties: members.optional(),
  }),
  /** Over the stored profile, where there is one. */
  user: z
    .strictObject({
      ...person,
      traits: members.optional(),
      email: text.nullable().optional(),
      phone: text.nullable().optional(),
      locale: text.nullable().optional(),
      timezone: zone.nullable().optional(),
      devices: z
        .array(z.strictObject({ platform: z.enum(PLATFORMS), locale: text.optional() }))
        .max(MAX_DEVICES)
        .optional(),
      /** Ids of audiences that the person is in. */
      audiences: z.array(text).max(MAX_ENTRIES).optional(),
    })
    .optional(),
  /** When the event comes; else now. */
  now: moment.optional(),
  /** The org's default zone, where settings say none. */
  timezone: zone.optional(),
  answers: z
    .strictObject({
      /** What steps come to in place of being run, by their path, `saveAs` or name. */
      steps: few(
        z.strictObject({
          outcome: z.enum(STEP_OUTCOMES).optional(),
          reason: text.optional(),
          output: members.optional(),
          httpStatus: z.int().min(100).max(599).optional(),
        }),
      ).optional(),
      /** Events of the person that come later, each so long after the first one. */
      events: z
        .array(
          z.strictObject({
            eventType: eventName,
            properties: members.optional(),
            afterMinutes: z.number().min(0).max(MAX_DELAY_MINUTES),
          }),
        )
        .max(MAX_ENTRIES)
        .optional(),
      /** Stored templates by id. */
      templates: z
        .record(
          z.string().refine(isRowId, 'must be the id of a template'),
          z.strictObject({ channel: z.enum(CHANNELS), content: members }),
        )
        .refine((entries) => Object.keys(entries).length <= MAX_ENTRIES, `must have at most ${MAX_ENTRIES} keys`)
        .optional(),
    })
    .optional(),
});

export type SimulateBody = z.output<typeof simulateBody>;

/** What a simulation is given, checked; somebody is named. Throws VALIDATION_ERROR. */
export const parseSimulate = (value: unknown): SimulateBody => {
  const parsed = simulateBody.safeParse(value);
  if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
  // The schema drops a key `__proto__` in silence; here it is refused, in what was given.
  normaliseFreeForm(value);
  const { event, user = {} } = parsed.data;
  if ([event.userId, event.anonymousId, user.userId, user.anonymousId].every((id) => id === undefined))
    throw validationError({ 'user.userId': ['This or anonymousId is needed, of the event or of the user.'] });
  return normaliseFreeForm(parsed.data);
};
