// What answers hold about sending domains.

import type { DnsRecord, DomainCheck, EmailDomain, EmailDomainChecked } from '@beckon/core';
import { z } from 'zod';
import { answerOf, id, moment } from './wire.ts';

const record = answerOf<DnsRecord>()(
  z.object({
    type: z.literal('TXT'),
    name: z.string(),
    value: z.string(),
    purpose: z.enum(['ownership', 'dkim']),
  }),
);
const domain = answerOf<EmailDomain>()(
  z.object({
    id,
    domain: z.string(),
    status: z.enum(['pending', 'verified']),
    dkim: z.boolean(),
    dkimFound: z.boolean().nullable(),
    records: z.array(record),
    createdAt: moment,
    verifiedAt: moment.nullable(),
    checkedAt: moment.nullable(),
  }),
);
const check = answerOf<DomainCheck>()(
  z.object({
    name: z.enum(['ownership', 'dkim', 'spf', 'dmarc']),
    state: z.enum(['found', 'missing', 'wrong', 'unknown']),
    message: z.string(),
  }),
);

/** Schemas of this file, by the names that the document gives them. */
export const emailDomainAnswers = {
  EmailDomain: domain,
  EmailDomainChecked: answerOf<EmailDomainChecked>()(domain.extend({ checks: z.array(check) })),
} as const;
