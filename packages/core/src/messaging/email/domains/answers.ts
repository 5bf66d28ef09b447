import { z } from 'zod';
import { answersOf } from '../../../foundation/answers.ts';
import type { Answers } from './answers.generated.ts';

/** Answer schemas of sending domains. */
export const emailDomainAnswers = answersOf<Answers>()(() => {
  const DnsRecord = z
    .object({
      type: z.literal('TXT').describe('Type of the record.'),
      name: z.string().describe('Name of the record.'),
      value: z.string().describe('Value of the record.'),
      purpose: z
        .enum(['ownership', 'dkim'])
        .describe('`ownership` verifies the domain; receivers check signatures with `dkim`.'),
    })
    .describe('A DNS record that the owner of the domain must set.');
  const EmailDomain = z
    .object({
      id: z.uuid().describe('Id of the domain.'),
      domain: z.string().describe('Domain in lower case; an internationalized one as punycode.'),
      status: z.enum(['pending', 'verified']).describe('Whether the ownership is verified.'),
      dkim: z.boolean().describe('Whether Beckon signs SMTP emails from this domain, once it found the DKIM record.'),
      dkimFound: z
        .boolean()
        .nullable()
        .describe('Whether the last check found the DKIM record; null if the domain has no key.'),
      records: z.array(DnsRecord).describe('DNS records to set.'),
      createdAt: z.date().describe('When the domain was added.'),
      verifiedAt: z.date().nullable().describe('When a check last confirmed the ownership; null if none did.'),
      checkedAt: z.date().nullable().describe('When the records were last checked; null if they were not.'),
    })
    .describe('A domain that emails of a project are sent from; it covers its subdomains.');
  const DomainCheck = z
    .object({
      name: z.enum(['ownership', 'dkim', 'spf', 'dmarc']).describe('What was checked.'),
      state: z
        .enum(['found', 'missing', 'wrong', 'unknown'])
        .describe('Result; `unknown`: the DNS servers did not respond, and the previous result remains.'),
      message: z.string().describe('What the result means and what to do; `spf` and `dmarc` are advice only.'),
    })
    .describe('Result of the check of one DNS record.');
  return {
    DnsRecord,
    EmailDomain,
    DomainCheck,
    EmailDomainChecked: EmailDomain.extend({
      checks: z.array(DomainCheck).describe('Result of each check.'),
    }).describe('A sending domain with the results of its checks.'),
  };
});
