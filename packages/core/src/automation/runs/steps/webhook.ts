import { z } from 'zod';
import { MAX_JSON_DEPTH } from '../../../foundation/json.ts';
import { jsonKeywords } from '../../../foundation/json-keywords.ts';
import { isJsonValue, type JsonValue } from '../../../foundation/json-value.ts';
import { urlProblem } from '../../../foundation/net/urls.ts';
import { compileTemplate } from '../../../messaging/templates/compile.ts';
import { RenderError, type RenderScopes, render } from '../../../messaging/templates/render.ts';
import { common, storableText } from './fields.ts';
import { RENDERED } from './rendered.ts';
import { stepScopes } from './scopes.ts';
import { defineStep, type StepPost, type StepResult, type StepRun } from './step.ts';
import { templateValue } from './trait-edits.ts';
import { filledUrl, originProblem } from './webhook-url.ts';

/** Maximum characters of a URL and of a header value as written. Chosen: above real ones. */
const MAX_URL = 2_048;
const MAX_VALUE = 2_000;
const MAX_HEADERS = 20;
/** Maximum bytes of all headers with values, without secrets. Chosen: Node's limit for a request. */
const MAX_HEADER_BYTES = 16_384;
/** Maximum bytes of a body. Source: contract, Outbound webhooks. */
const MAX_BODY_BYTES = 20_480;
/** Maximum seconds of one attempt. Source: contract, Workflows. */
const MAX_TIMEOUT_SECONDS = 10;
const SECOND_MS = 1_000;
/**
 * Maximum wait of a step, in milliseconds. Chosen: several times the retry schedule, because deliveries may be late.
 */
const LONGEST_MS = 172_800_000;

/** Headers that the request sets itself, or that would change its framing. */
const RESERVED =
  /^(?:host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|content-length|content-encoding|content-type|proxy-.*|webhook-.*|x-service-signature)$/i;
const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** Characters allowed in a header. */
const HEADER_TEXT = /^[\t\x20-\x7e\x80-\xff]*$/;

const headerName = z
  .string()
  .regex(HEADER, 'must be the name of a header')
  .refine((name) => !RESERVED.test(name), 'is a header that Beckon sets itself');
const headerValue = storableText(MAX_VALUE)
  .refine((text) => HEADER_TEXT.test(text), 'must be one line that an HTTP header can contain')
  .register(jsonKeywords, { pattern: HEADER_TEXT.source });

const url = storableText(MAX_URL)
  .superRefine((text, context) => {
    const problem = originProblem(text) ?? urlProblem(new URL(filledUrl(text, {}) ?? 'invalid:'));
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  })
  .register(jsonKeywords, { pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#\\\\@{}]+(?:[/?#][^\\u0000]*)?$' });
const isBody = (value: unknown): value is JsonValue =>
  typeof value === 'object' && value !== null && isJsonValue(value, MAX_JSON_DEPTH);

const config = z.strictObject({
  ...common,
  url: url.describe('URL to post to. The host must not contain {{variables}}. 1 to 2,048 characters.'),
  method: z.literal('POST').optional().describe('HTTP method. Always POST.'),
  headers: z
    .record(headerName, headerValue)
    .refine((headers) => Object.keys(headers).length <= MAX_HEADERS, `must have at most ${MAX_HEADERS} headers`)
    .refine(
      (headers) => new Set(Object.keys(headers).map((name) => name.toLowerCase())).size === Object.keys(headers).length,
      'must name each header once',
    )
    .register(jsonKeywords, { maxProperties: MAX_HEADERS })
    .optional()
    .describe('Request headers. Values may contain {{variables}} and {{secret.NAME}}. At most 20. Default: none.'),
  body: z
    .custom<JsonValue>(isBody, `must be a JSON object or array of at most ${MAX_JSON_DEPTH} levels`)
    .refine(
      (body) => Buffer.byteLength(JSON.stringify(body)) <= MAX_BODY_BYTES,
      `must have at most ${MAX_BODY_BYTES} bytes`,
    )
    .register(jsonKeywords, { type: ['object', 'array'] })
    .optional()
    .describe(
      'JSON to post. Texts may contain {{variables}}. At most 20,480 bytes. Default: the event that started the run.',
    ),
  timeoutSeconds: z
    .int()
    .min(1)
    .max(MAX_TIMEOUT_SECONDS)
    .optional()
    .describe('Longest time for one attempt, in seconds. 1 to 10. Default: 10.'),
  signing: z.boolean().optional().describe("Whether to sign the request with the project's secret. Default: true."),
});
export type WebhookConfig = z.output<typeof config>;

/** Secrets of each header. Throws nothing. */
export const secretsIn = ({ headers = {} }: Pick<WebhookConfig, 'headers'>): [header: string, secret: string][] =>
  Object.entries(headers).flatMap(([header, text]) =>
    compileTemplate(text).placeholders.flatMap(({ root, keys }): [string, string][] =>
      root === 'secret' && keys.length > 0 ? [[header, keys.join('.')]] : [],
    ),
  );

/**
 * Counts filled bytes as they are produced, so that memory stays within what may be posted. The returned function
 * throws RenderError.
 */
const byteBudget = (maxBytes: number): ((text: string) => void) => {
  let left = maxBytes;
  return (text) => {
    left -= Buffer.byteLength(text);
    if (left < 0) throw new RenderError(maxBytes);
  };
};

/** Parts of a header: texts with filled values, and names of secrets. Filled values are never searched for secrets. */
const headerParts = (
  text: string,
  scopes: RenderScopes,
  count: (text: string) => void,
): StepPost['headers'][string] => {
  const { literals, placeholders } = compileTemplate(text);
  return literals.flatMap((literal, index) => {
    const placeholder = placeholders[index - 1];
    count(literal);
    if (!placeholder) return literal === '' ? [] : [literal];
    if (placeholder.root === 'secret') return [{ secret: placeholder.keys.join('.') }, literal];
    const value = render({ literals: ['', ''], placeholders: [placeholder] }, scopes, { escapeHtml: false });
    count(value);
    return [value, literal];
  });
};

const bodyOf = (body: JsonValue | undefined, scopes: RenderScopes): unknown => {
  const fill = templateValue(scopes);
  const count = byteBudget(MAX_BODY_BYTES);
  const fillIn = (text: string): unknown => {
    const value = fill(text) ?? null;
    count(JSON.stringify(value));
    return value;
  };
  const filled = (value: unknown): unknown => {
    if (typeof value === 'string') return value.includes('{{') ? fillIn(value) : value;
    if (Array.isArray(value)) return value.map(filled);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item)]));
  };
  return body === undefined ? null : filled(body);
};

/** The request, or the reason why it cannot be posted. */
const requestOf = (headers: WebhookConfig, scopes: RenderScopes): StepPost | string => {
  try {
    const filled = filledUrl(headers.url, scopes);
    if (filled === null) return 'invalid_url';
    const count = byteBudget(MAX_HEADER_BYTES);
    const parts = Object.entries(headers.headers ?? {}).map(
      ([name, text]) => [name, headerParts(text, scopes, count)] as const,
    );
    if (parts.some(([, all]) => all.some((part) => typeof part === 'string' && !HEADER_TEXT.test(part))))
      return 'invalid_header';
    const body = bodyOf(headers.body, scopes);
    if (body !== null && Buffer.byteLength(JSON.stringify(body)) > MAX_BODY_BYTES) return 'too_large';
    const { timeoutSeconds = MAX_TIMEOUT_SECONDS, signing: isSigned = true } = headers;
    return { url: filled, headers: Object.fromEntries(parts), body, limitMs: timeoutSeconds * SECOND_MS, isSigned };
  } catch (error) {
    if (error instanceof RenderError) return error.reason;
    throw error;
  }
};

/** Result that the queue of deliveries passed to the run. */
const endOf = ({ wokenBy }: StepRun): StepResult => {
  if (wokenBy === null) return { outcome: 'error', reason: 'no_answer' };
  const { outcome, reason, status, body = null } = wokenBy;
  const httpStatus = typeof status === 'number' ? status : null;
  return {
    outcome: outcome === 'delivered' ? 'ok' : 'error',
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(httpStatus === null ? {} : { httpStatus, output: { status: httpStatus, body } }),
  };
};

/**
 * Posts the run's event or the author's body and waits for the response: a webhook delivery with the same retry
 * schedule. The host is fixed in the definition; values are escaped in path and query.
 */
export const webhook = defineStep({
  type: 'webhook',
  renders: RENDERED.webhook,
  config,
  run:
    (headers, { run }) =>
    (context) => {
      if (run.waitingSince !== null) return endOf(run);
      const request = requestOf(headers, stepScopes(context));
      if (typeof request === 'string') return { outcome: 'error', reason: request };
      const posted = context.post(request);
      if (posted === null) return { outcome: 'ok', reason: 'sandbox', output: { status: 200, body: null } };
      return { waitUntil: new Date(context.now.getTime() + LONGEST_MS), ...posted };
    },
});
