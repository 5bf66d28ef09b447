import { z } from 'zod';
import { isReservedDataKey } from '../../delivery/transports/fcm/payload.ts';
import { longArrayIn, TOO_MANY_ITEMS } from '../../foundation/array-items.ts';
import { PLATFORMS } from '../../foundation/device-platform.ts';
import { isObject, MAX_JSON_DEPTH } from '../../foundation/json.ts';
import { jsonKeywords } from '../../foundation/json-keywords.ts';
import { compileTemplate } from '../templates/compile.ts';
import { byLanguage, isLocalized, type Localised, textFor } from '../templates/locale.ts';
import { isImage, isLink, runsCode } from './urls.ts';

/** Maximum action buttons per push. Source: interface, Limits; the platforms show no more. */
export const MAX_ACTIONS = 4;
/** Maximum bytes of a collapse key. Source: Apple, apns-collapse-id. */
export const MAX_COLLAPSE_BYTES = 64;
/** Maximum and default seconds that a push may wait for its device. Source: contract, Send; FCM keeps none longer. */
export const MAX_TTL_SECONDS = 2_419_200;
/** Maximum characters of a title or body. Chosen: a whole payload has 4,096 bytes on every platform. */
export const MAX_TEXT_CHARACTERS = 4_096;
/** Maximum characters of a URL. Chosen: half of a payload. */
const MAX_URL_CHARACTERS = 2_048;
/** Maximum characters of an id, a file name or a thread. Chosen: longer than real ones. */
const MAX_NAME_CHARACTERS = 128;

const text = z.string().max(MAX_TEXT_CHARACTERS);
const name = z
  .string()
  .min(1)
  .max(MAX_NAME_CHARACTERS)
  .refine((value) => !/\p{Cc}/u.test(value), 'must not contain control characters')
  .register(jsonKeywords, { pattern: '^\\P{Cc}*$' });

const hasVariables = (value: string): boolean => compileTemplate(value).placeholders.length > 0;
/** A URL, or a template that is checked after rendering. */
const url = (isValid: (value: string) => boolean, message: string) =>
  z
    .string()
    .min(1)
    .max(MAX_URL_CHARACTERS)
    .refine((value) => !runsCode(value) && (hasVariables(value) || isValid(value)), message);

const action = z.object({
  id: name.describe('Id of the button, reported as clickAction. 1 to 128 characters, unique in the push.'),
  title: text.min(1).describe('Label of the button. May contain {{variables}}.'),
  url: url(isLink, 'must be a URL with the scheme http, https or one of an app')
    .optional()
    .describe(
      'URL that the button opens: http, https or a scheme of an app. May contain {{variables}}. Default: opens the app.',
    ),
  icon: name.optional().describe('Name of the icon of the button. Default: no icon.'),
});

const codePaths = (value: unknown, path: readonly (string | number)[]): (readonly (string | number)[])[] => {
  if (typeof value === 'string') return runsCode(value) ? [path] : [];
  // Deeper values are rejected as a whole by `normaliseFreeForm`.
  if (typeof value !== 'object' || value === null || path.length > MAX_JSON_DEPTH) return [];
  return Object.entries(value).flatMap(([key, item]) => codePaths(item, [...path, key]));
};

const data = z
  .custom<Record<string, unknown>>(isObject, 'must be an object')
  .superRefine((value, context) => {
    for (const path of codePaths(value, []))
      context.addIssue({ code: 'custom', path: [...path], message: 'must not be a javascript: or similar URL' });
    const long = longArrayIn(value);
    if (long !== null) context.addIssue({ code: 'custom', path: [long], message: TOO_MANY_ITEMS });
  })
  .register(jsonKeywords, { type: 'object' });

/** Fields of a push that a send and a workflow step share; no recipients. */
export const pushFields = {
  title: text.optional().describe('Title. May contain {{variables}}. At most 4,096 characters. Default: none.'),
  body: text.optional().describe('Text. May contain {{variables}}. At most 4,096 characters. Default: none.'),
  localizedTitle: byLanguage(text)
    .optional()
    .describe(
      'Titles by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then title. Default: none.',
    ),
  localizedBody: byLanguage(text)
    .optional()
    .describe(
      'Texts by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then body. Default: none.',
    ),
  data: data
    .optional()
    .describe('Values for the app. A push with data and without title and body is silent. Default: none.'),
  actions: z.array(action).max(MAX_ACTIONS).optional().describe('Action buttons. At most 4. Default: none.'),
  criticalAlert: z
    .object({
      soundName: name.describe('Name of the sound file in the app.'),
      volume: z.number().min(0).max(1).default(1).describe('Volume from 0 to 1. Default: 1.'),
    })
    .nullish()
    .describe(
      'Plays a sound even when the device is muted. iOS needs an entitlement of Apple. Null or omitted: a normal alert.',
    ),
  collapseKey: name
    .refine((value) => Buffer.byteLength(value) <= MAX_COLLAPSE_BYTES, `must have at most ${MAX_COLLAPSE_BYTES} bytes`)
    .optional()
    .describe('Replaces an earlier push with the same key on the device. At most 64 bytes. Default: none.'),
  threadId: name.optional().describe('Groups pushes on the device. At most 128 characters. Default: none.'),
  ttlSeconds: z
    .int()
    .min(0)
    .max(MAX_TTL_SECONDS)
    .default(MAX_TTL_SECONDS)
    .describe(
      'Seconds that the provider keeps the push for an offline device. At most 2,419,200. Default: 2,419,200 (four weeks).',
    ),
  priority: z
    .enum(['high', 'normal'])
    .optional()
    .describe('Delivery priority. Default: high for a visible push, normal for a silent one.'),
  badge: z.int().min(0).optional().describe('Number on the app icon. Default: unchanged.'),
  sound: name.optional().describe('Name of the sound. Default: the default sound of the device.'),
  imageUrl: url(isImage, 'must be an http or https URL')
    .optional()
    .describe('URL of an image, http or https. May contain {{variables}}. Default: no image.'),
  interruptionLevel: z
    .enum(['passive', 'active', 'time-sensitive', 'critical'])
    .optional()
    .describe('How strongly iOS interrupts the user. critical needs criticalAlert. Default: active.'),
  /** Restricts the devices of users; raw tokens are sent to whatever it says. */
  platforms: z
    .array(z.enum(PLATFORMS))
    .min(1)
    .optional()
    .describe('Platforms to send to. Tokens that you pass are not filtered. Default: all platforms.'),
};

const fields = z.object(pushFields);
/** Stored push content, before rendering. */
export type PushContent = z.infer<typeof fields>;

type Issues = { addIssue(issue: { code: 'custom'; path: (string | number)[]; message: string }): void };

/**
 * Adds issues for data keys that FCM reserves: a message with one would fail at handover.
 *
 * @param content without `platforms` it may go to Android devices
 */
export const checkDataKeys = (
  { data: sent = {}, platforms }: Pick<PushContent, 'data'> & Partial<Pick<PushContent, 'platforms'>>,
  context: Issues,
  path: readonly (string | number)[] = ['data'],
): void => {
  if (platforms !== undefined && !platforms.includes('android')) return;
  for (const key of Object.keys(sent).filter(isReservedDataKey))
    context.addIssue({ code: 'custom', path: [...path, key], message: 'is a key that FCM reserves' });
};

/**
 * Adds issues for fields that conflict. A push with `data` and neither `title` nor `body` is for the app only; any
 * other push needs visible text.
 */
export const checkPush = (
  { title, body, localizedTitle, localizedBody, data: sent, actions, criticalAlert, interruptionLevel }: PushContent,
  context: Issues,
) => {
  const issue = (path: (string | number)[], message: string): void =>
    context.addIssue({ code: 'custom', path, message });
  const isShown =
    title !== undefined || body !== undefined || isLocalized(localizedTitle) || isLocalized(localizedBody);
  if (!isShown && sent === undefined) issue(['body'], 'pass one of title, body and data');
  if (!isShown && actions?.length) issue(['actions'], 'require a title or a body');
  if (!isShown && criticalAlert) issue(['criticalAlert'], 'requires a title or a body');
  if (interruptionLevel === 'critical' && !criticalAlert)
    issue(['interruptionLevel'], 'critical requires criticalAlert');
  const ids = actions?.map(({ id }) => id) ?? [];
  ids.forEach((id, at) => {
    if (ids.indexOf(id) !== at) issue(['actions', at, 'id'], 'occurs twice');
  });
};

/**
 * The content in the reader's language. A push with localized bodies and no matching body, or with localized titles
 * only and no matching title, is not sent. Throws nothing.
 */
export const localisedPush = (content: PushContent, locale: string | null): Localised<PushContent> => {
  const { localizedTitle, localizedBody, ...push } = content;
  const hasBodies = isLocalized(localizedBody);
  if (!hasBodies && !isLocalized(localizedTitle)) return { content, tag: null };
  const title = textFor(localizedTitle, content.title, locale);
  const body = textFor(localizedBody, content.body, locale);
  const isFilled = (text: string | undefined): boolean => text !== undefined && text !== '';
  if (!isFilled(body.text) && (hasBodies || !isFilled(title.text))) return { unsupported: true };
  return { content: { ...push, title: title.text, body: body.text }, tag: body.tag ?? title.tag };
};
