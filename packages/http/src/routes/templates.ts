import type { Channel } from '@beckon/core';
import { z } from 'zod';
import { succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { filter, pageQuery, readQuery } from '../pipeline/query.ts';
import { DEFAULT_BODY_CAP, type OpenCall, type ProjectRoute, param, reading } from '../route.ts';

/** Status of a created resource. Source: contract, Conventions. */
const CREATED = 201;
/** The quotes of an entity tag, which people copy together with its value. */
const QUOTED = /^(?:W\/)?"(.*)"$/;

const templateQuery = pageQuery.extend({ name: filter.describe('Exact name of the template. Default: any.') });
const versionQuery = z.object({
  ifMatch: filter
    .transform((tag) => tag?.replace(QUOTED, '$1'))
    .pipe(
      z
        .string()
        .regex(/^\d{1,9}$/, 'must be a version such as 3')
        .transform(Number)
        .optional(),
    )
    .describe('Version to change. Another stored version returns 409. Default: any version.'),
});
const versionOf = ({ query }: OpenCall) => ({ ifVersion: readQuery(query, versionQuery).ifMatch });

/** Names of each channel's types. */
const TYPES = {
  push: { made: 'PushTemplateInput', patched: 'PushTemplatePatch', record: 'PushTemplate', saved: 'PushTemplateSaved' },
  email: {
    made: 'EmailTemplateInput',
    patched: 'EmailTemplatePatch',
    record: 'EmailTemplate',
    saved: 'EmailTemplateSaved',
  },
  sms: { made: 'SmsTemplateInput', patched: 'SmsTemplatePatch', record: 'SmsTemplate', saved: 'SmsTemplateSaved' },
} as const;
const PREVIEWS = { push: 'PushPreview', email: 'EmailPreview', sms: 'SmsPreview' } as const;

/** Templates of one channel of a project. They serve both environments. */
export const templateRoutes = (channel: Channel): readonly ProjectRoute[] => {
  const read = { ...reading(`${channel}:read`), plan: 'templates', path: `/${channel}/templates` } as const;
  const one = { ...read, path: `/${channel}/templates/:id` };
  const write = { scope: `${channel}:write`, bodyCap: DEFAULT_BODY_CAP } as const;
  const { made, patched, record, saved } = TYPES[channel];
  return [
    {
      ...read,
      summary: 'List templates',
      description: 'Newest first, without content.',
      answer: { page: 'TemplateRow' },
      query: templateQuery,
      run: async (beckon, { scope, query }) =>
        succeedWithPage(await beckon.templates.list(scope, channel, readQuery(query, templateQuery))),
    },
    {
      ...read,
      ...write,
      method: 'POST',
      summary: 'Create a template',
      description:
        'Stores content for sends and workflow steps. Warnings name variables and texts that may not render.',
      takes: made,
      answer: { 201: saved },
      errors: ['CONFLICT'],
      run: async (beckon, { scope, body }) => succeed(await beckon.templates.create(scope, channel, body), CREATED),
    },
    {
      ...one,
      summary: 'Get a template',
      description: 'Contains the content and the version.',
      answer: { 200: record },
      run: async (beckon, call) => succeed(await beckon.templates.get(call.scope, channel, param(call, 'id'))),
    },
    {
      ...one,
      ...write,
      method: 'PATCH',
      summary: 'Update a template',
      description: 'Stores a new version. Fields that you omit keep their values; null removes them.',
      takes: patched,
      answer: { 200: saved },
      query: versionQuery,
      errors: ['CONFLICT'],
      run: async (beckon, call) =>
        succeed(await beckon.templates.update(call.scope, channel, param(call, 'id'), call.body, versionOf(call))),
    },
    {
      ...one,
      ...write,
      bodyCap: null,
      method: 'DELETE',
      summary: 'Delete a template',
      description: 'Sends that were accepted with it continue. Workflow steps that use it fail.',
      answer: { 200: 'TemplateSummary' },
      query: versionQuery,
      errors: ['CONFLICT'],
      run: async (beckon, call) =>
        succeed(await beckon.templates.delete(call.scope, channel, param(call, 'id'), versionOf(call))),
    },
    {
      ...one,
      method: 'POST',
      path: `/${channel}/templates/:id/preview`,
      summary: 'Preview a template',
      description: 'Renders the template for a user, or for a sample user. Nothing is sent.',
      takes: 'PreviewInput',
      answer: { 200: PREVIEWS[channel] },
      bodyCap: DEFAULT_BODY_CAP,
      run: async (beckon, call) =>
        succeed(await beckon.templates.preview(call.scope, channel, param(call, 'id'), call.body)),
    },
  ];
};
