import { z } from 'zod';
import { jsonKeywords, ONE_LINE_TEXT } from '../../foundation/json-keywords.ts';
import { isOneLine } from '../../foundation/one-line.ts';

/** Maximum custom headers of an email. Chosen: more than senders use. */
const MAX_HEADERS = 20;
/** Maximum octets of a line without its end. Source: RFC 5322, 2.1.1. */
export const MAX_LINE_OCTETS = 998;

// A subset of RFC 5322, 3.6.8 that every relay keeps unchanged.
const NAME = /^[A-Za-z][A-Za-z0-9-]{0,75}$/;

/** Set by Beckon from body fields, or by the transport or protocol. */
const RESERVED = new Set([
  'bcc',
  'cc',
  'date',
  'dkim-signature',
  'from',
  'message-id',
  'mime-version',
  'received',
  'reply-to',
  'return-path',
  'sender',
  'subject',
  'to',
]);
const RESERVED_PREFIXES = ['arc-', 'content-', 'resent-', 'x-service-'];

/**
 * Faults of custom headers: one sentence per header name, without its value. Names are compared without case. Throws
 * nothing.
 */
export const headerProblems = (headers: Readonly<Record<string, string>>): ReadonlyMap<string, string> => {
  const problems = new Map<string, string>();
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (!NAME.test(name)) problems.set(name, 'must have a name of 1 to 76 letters, digits and hyphens');
    else if (RESERVED.has(lower) || RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix)))
      problems.set(name, 'is a header that Beckon sets itself');
    else if (seen.has(lower)) problems.set(name, 'occurs twice');
    else if (!isOneLine(value)) problems.set(name, 'must be one line without control characters');
    else if (Buffer.byteLength(name) + Buffer.byteLength(value) + 2 > MAX_LINE_OCTETS)
      problems.set(name, `must have at most ${MAX_LINE_OCTETS} bytes with its name`);
    seen.add(lower);
  }
  return problems;
};

/** Custom headers of a send or workflow step. */
export const mailHeaders = z
  .record(z.string(), z.string())
  .superRefine((headers, context) => {
    if (Object.keys(headers).length > MAX_HEADERS) {
      context.addIssue({ code: 'custom', message: `must have at most ${MAX_HEADERS} headers` });
      return;
    }
    for (const [name, message] of headerProblems(headers)) context.addIssue({ code: 'custom', path: [name], message });
  })
  .register(jsonKeywords, {
    propertyNames: { pattern: NAME.source },
    additionalProperties: { type: 'string', ...ONE_LINE_TEXT },
    maxProperties: MAX_HEADERS,
  });
