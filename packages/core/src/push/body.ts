import { z } from 'zod';
import { fieldErrorsOf, validationError } from '../errors.ts';
import { isObject, normaliseFreeForm } from '../primitives/json.ts';
import { ignoredKeys, MAX_USER_IDS, requestFields, sendFields, templateId, userIds } from '../sending/fields.ts';
import type { Recipient, SendRequest } from '../sending/schema.ts';
import { isReservedDataKey } from '../transports/fcm/payload.ts';
import type { EndpointRules } from '../transports/web-push/subscription.ts';
import { checkPush, pushFields } from './content.ts';
import { deviceToken, endpointProblem, platformOf } from './device-token.ts';

const token = z
  .string()
  .min(1)
  .transform((text, context) => {
    const read = deviceToken(text);
    if (read.ok) return read.token;
    context.addIssue({ code: 'custom', message: read.problem });
    return z.NEVER;
  });

const recipients = {
  userIds: userIds.optional(),
  /** As many as users; ours. */
  tokens: z.array(token).max(MAX_USER_IDS).optional(),
};

const sentFields = { ...pushFields, ...sendFields, ...recipients };

/** Body of `POST /push/send`, with its template filled in. Unknown keys are left out. */
export const pushBody = z.object(sentFields).superRefine((sent, context) => {
  checkPush(sent, context);
  if (sent.userIds === undefined && sent.tokens === undefined)
    context.addIssue({ code: 'custom', path: ['userIds'], message: 'one of userIds and tokens is needed' });
  const isForAndroid = sent.platforms?.includes('android') || sent.tokens?.some((one) => platformOf(one) === 'android');
  for (const key of Object.keys(sent.data ?? {}))
    if (isForAndroid && isReservedDataKey(key))
      context.addIssue({ code: 'custom', path: ['data', key], message: 'is a key that Android keeps for itself' });
});

/** The same as a caller writes it, who may name a template in place of what it holds. */
export const pushInput = z.object({ ...sentFields, templateId });

/** Keys of the contract that this version cannot serve. They are refused: a send without them is another send. */
const UNSUPPORTED = ['audienceId'];
/** `projectId` chooses among a key's projects before a body gets here. */
const KNOWN = new Set([...Object.keys(pushBody.shape), 'projectId']);
const ACTION_KEYS = new Set(['id', 'title', 'url', 'icon']);
const ALERT_KEYS = new Set(['soundName', 'volume']);

const keysBeside = (known: ReadonlySet<string>, value: unknown, path: string): string[] =>
  isObject(value) ? Object.keys(value).flatMap((key) => (known.has(key) ? [] : [`${path}${key}`])) : [];

const strangersIn = (sent: Readonly<Record<string, unknown>>): string[] => {
  const { actions, criticalAlert } = sent;
  return [
    ...keysBeside(KNOWN, sent, '').filter((key) => !UNSUPPORTED.includes(key)),
    ...(Array.isArray(actions) ? actions.flatMap((one, at) => keysBeside(ACTION_KEYS, one, `actions.${at}.`)) : []),
    ...keysBeside(ALERT_KEYS, criticalAlert, 'criticalAlert.'),
  ];
};

const warningsOf = (sent: unknown): string[] => {
  if (!isObject(sent)) return [];
  const isBypassed = sent.tokens !== undefined && sent.userIds !== undefined;
  return [...(isBypassed ? ['The key userIds was ignored: tokens bypass it.'] : []), ...ignoredKeys(strangersIn(sent))];
};

const unsupportedIn = (sent: unknown): Record<string, string[]> =>
  Object.fromEntries(
    UNSUPPORTED.filter((key) => isObject(sent) && sent[key] !== undefined).map((key) => [
      key,
      ['This version does not support it yet.'],
    ]),
  );

const refusedEndpoints = (tokens: readonly string[] = [], rules: EndpointRules): Record<string, string[]> =>
  Object.fromEntries(
    tokens.flatMap((one, at) => {
      const problem = endpointProblem(one, rules);
      return problem === null ? [] : [[`tokens.${at}`, [problem]]];
    }),
  );

/**
 * Reads a send body into a request.
 *
 * @param rules what the endpoints of browsers may be
 * @throws VALIDATION_ERROR for wrong fields, for neither `userIds` nor `tokens`, for a third-party bridge's token (the
 * message names the `webhook` step), and for keys of the contract that this version does not support
 */
export const parsePushSend = (sent: unknown, rules: EndpointRules = {}): SendRequest => {
  const unsupported = unsupportedIn(sent);
  const parsed = pushBody.safeParse(sent);
  if (!parsed.success || Object.keys(unsupported).length > 0)
    throw validationError({ ...unsupported, ...(parsed.success ? {} : fieldErrorsOf(parsed.error)) });
  const refused = refusedEndpoints(parsed.data.tokens, rules);
  if (Object.keys(refused).length > 0) throw validationError(refused);
  const { userIds: users, tokens, ...rest } = parsed.data;
  const { class: kind, category, abTestId, tags, scheduledFor, dryRun, variables, ...fields } = rest;
  const content = normaliseFreeForm(fields);
  // Source: interface, Send request body: raw tokens bypass userIds.
  const to =
    tokens?.map((address): Recipient => ({ kind: 'address', address, name: null })) ??
    users?.map((userId): Recipient => ({ kind: 'user', userId }));
  return {
    channel: 'push',
    source: 'api',
    title: content.title ?? null,
    content,
    recipients: to ?? [],
    ...requestFields({ class: kind, category, abTestId, tags, scheduledFor, dryRun, variables }),
    warnings: warningsOf(sent),
  };
};
