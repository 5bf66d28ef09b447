import { z } from 'zod';
import type { EndpointRules } from '../../delivery/transports/web-push/subscription.ts';
import { fieldErrorsOf, validationError } from '../../foundation/errors.ts';
import { isObject, normaliseFreeForm } from '../../foundation/json.ts';
import {
  audienceId,
  audienceOf,
  ignoredKeys,
  MAX_USER_IDS,
  neededAudienceId,
  requestFields,
  sendFields,
  templateId,
  userIds,
} from '../sends/fields.ts';
import type { Recipient, SendRequest } from '../sends/schema.ts';
import { checkDataKeys, checkPush, pushFields } from './content.ts';
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
  userIds: userIds
    .optional()
    .describe('Ids of the users to send to. At most 1,000. Exactly one of userIds, tokens and audienceId.'),
  /** Chosen: as many as users. */
  tokens: z
    .array(token)
    .max(MAX_USER_IDS)
    .optional()
    .describe('Device tokens to send to. At most 1,000. Exactly one of userIds, tokens and audienceId.'),
  audienceId,
};

const sentFields = { ...pushFields, ...sendFields, ...recipients };

/** Body of `POST /push/send` with its template merged. Unknown keys are dropped. */
export const pushBody = z.object(sentFields).superRefine((sent, context) => {
  checkPush(sent, context);
  const isForAudience = (sent.audienceId ?? undefined) !== undefined;
  if (sent.userIds === undefined && sent.tokens === undefined && !isForAudience)
    context.addIssue({ code: 'custom', path: ['userIds'], message: 'pass one of userIds, tokens or audienceId' });
  if (sent.userIds !== undefined && sent.tokens === undefined && isForAudience)
    context.addIssue({ code: 'custom', path: ['audienceId'], message: 'is not allowed with userIds' });
  // Raw tokens are sent to whatever `platforms` says.
  checkDataKeys({ data: sent.data, platforms: sent.tokens?.map(platformOf) ?? sent.platforms }, context);
});

/** The body as a caller writes it, with an optional template. */
export const pushInput = z.object({ ...sentFields, templateId });
/** The same for a send to an audience. */
export const pushAudienceInput = pushInput
  .omit({ userIds: true, tokens: true })
  .extend({ audienceId: neededAudienceId });

/** `projectId` selects one of the key's projects before the body is parsed. */
const KNOWN_KEYS = new Set([...Object.keys(pushBody.shape), 'projectId']);
const ACTION_KEYS = new Set(['id', 'title', 'url', 'icon']);
const ALERT_KEYS = new Set(['soundName', 'volume']);

const unknownKeys = (known: ReadonlySet<string>, value: unknown, path: string): string[] =>
  isObject(value) ? Object.keys(value).flatMap((key) => (known.has(key) ? [] : [`${path}${key}`])) : [];

const unknownKeysIn = (sent: Readonly<Record<string, unknown>>): string[] => {
  const { actions, criticalAlert } = sent;
  return [
    ...unknownKeys(KNOWN_KEYS, sent, ''),
    ...(Array.isArray(actions) ? actions.flatMap((one, at) => unknownKeys(ACTION_KEYS, one, `actions.${at}.`)) : []),
    ...unknownKeys(ALERT_KEYS, criticalAlert, 'criticalAlert.'),
  ];
};

/** Fields that raw tokens replace. Source: interface, Send request body. */
const BYPASSED = ['userIds', 'audienceId'];

const warningsOf = (sent: unknown): string[] => {
  if (!isObject(sent)) return [];
  const bypassed = sent.tokens === undefined ? [] : BYPASSED.filter((key) => (sent[key] ?? undefined) !== undefined);
  return [
    ...bypassed.map((key) => `The key ${key} was ignored, because tokens take precedence.`),
    ...ignoredKeys(unknownKeysIn(sent)),
  ];
};

const refusedEndpoints = (tokens: readonly string[] = [], rules: EndpointRules): Record<string, string[]> =>
  Object.fromEntries(
    tokens.flatMap((one, at) => {
      const problem = endpointProblem(one, rules);
      return problem === null ? [] : [[`tokens.${at}`, [problem]]];
    }),
  );

/**
 * Turns a send body into a request.
 *
 * @param rules allowed endpoints of browsers
 * @throws VALIDATION_ERROR for invalid fields; without `tokens`, if not exactly one of `userIds` and `audienceId` is
 * set; for a third-party bridge's token (the message names the `webhook` step)
 */
export const parsePushSend = (sent: unknown, rules: EndpointRules = {}): SendRequest => {
  const parsed = pushBody.safeParse(sent);
  if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
  const refused = refusedEndpoints(parsed.data.tokens, rules);
  if (Object.keys(refused).length > 0) throw validationError(refused);
  const { userIds: users, tokens, audienceId: audience, ...rest } = parsed.data;
  const { class: kind, category, abTestId, tags, scheduledFor, dryRun, variables, ...fields } = rest;
  const content = normaliseFreeForm(fields);
  // Source: interface, Send request body: raw tokens bypass userIds and audienceId.
  const to =
    tokens?.map((address): Recipient => ({ kind: 'address', address, name: null })) ??
    users?.map((userId): Recipient => ({ kind: 'user', userId }));
  return {
    channel: 'push',
    ...audienceOf(tokens === undefined ? audience : null),
    title: content.title ?? null,
    content,
    recipients: to ?? [],
    ...requestFields({ class: kind, category, abTestId, tags, scheduledFor, dryRun, variables }),
    warnings: warningsOf(sent),
  };
};
