import { DEFINITION_CAPS } from '@beckon/core';
import { succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { pageQuery, readQuery } from '../pipeline/query.ts';
import { DEFAULT_BODY_CAP, type ProjectRoute, param, reading } from '../route.ts';
import { capsText } from './caps.ts';

const read = reading('email:read');
const write = { ...read, scope: 'email:write' } as const;

/** Status of a created resource. Source: contract, Conventions. */
const CREATED = 201;

/** Sender domains of a project. Source: contract, Sends and messages. */
export const emailDomainRoutes: readonly ProjectRoute[] = [
  {
    ...read,
    path: '/email/domains',
    summary: 'List sending domains',
    description: 'Contains the DNS records that each domain needs.',
    answer: { page: 'EmailDomain' },
    query: pageQuery,
    run: async (beckon, { scope, query }) =>
      succeedWithPage(await beckon.emailDomains.list(scope, readQuery(query, pageQuery))),
  },
  {
    ...write,
    method: 'POST',
    path: '/email/domains',
    summary: 'Add a sending domain',
    description: capsText(
      'Returns the DNS records to set. With `dkim`, Beckon signs emails from the domain.',
      DEFINITION_CAPS.emailDomains,
    ),
    takes: 'EmailDomainInput',
    answer: { 201: 'EmailDomain' },
    errors: ['CONFLICT'],
    bodyCap: DEFAULT_BODY_CAP,
    isBodyWhole: true,
    run: async (beckon, { scope, body }) => succeed(await beckon.emailDomains.create(scope, body), CREATED),
  },
  {
    ...read,
    path: '/email/domains/:id',
    summary: 'Get a sending domain',
    description: 'Contains the DNS records and the result of the last verification.',
    answer: { 200: 'EmailDomain' },
    run: async (beckon, call) => succeed(await beckon.emailDomains.get(call.scope, param(call, 'id'))),
  },
  {
    ...write,
    method: 'DELETE',
    path: '/email/domains/:id',
    summary: 'Delete a sending domain',
    description: 'Emails from this domain are no longer signed with its key.',
    answer: { 200: 'EmailDomain' },
    run: async (beckon, call) => succeed(await beckon.emailDomains.delete(call.scope, param(call, 'id'))),
  },
  {
    ...write,
    method: 'POST',
    path: '/email/domains/:id/verify',
    summary: 'Verify a sending domain',
    description: 'Looks up the DNS records and returns the result, with advice about SPF and DMARC.',
    answer: { 200: 'EmailDomainChecked' },
    run: async (beckon, call) => succeed(await beckon.emailDomains.verify(call.scope, param(call, 'id'))),
  },
];
