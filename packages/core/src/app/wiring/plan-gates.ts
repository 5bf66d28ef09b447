// Which groups of functions are of a plan. Of sends single fields are (sending/accept/send-gates.ts), and of steps that ask
// a model the deployment's provider (automation/ai); bundles of workflows are gated in automation/workflows.

import { pageLimit } from '../../foundation/page.ts';
import type { AbTestsApi } from '../../messaging/ab-tests/api.ts';
import { parseAbTest, parseAbTestPatch, parseComplete } from '../../messaging/ab-tests/schema.ts';
import type { GeofencesApi } from '../../messaging/push/geofences/api.ts';
import {
  parseGeofence,
  parseGeofencePatch,
  parseGeofenceReport,
  parseNearest,
} from '../../messaging/push/geofences/schema.ts';
import type { LiveActivitiesApi } from '../../messaging/push/live-activities/api.ts';
import {
  parseActivityEnd,
  parseActivityStart,
  parseActivityToken,
  parseActivityUpdate,
} from '../../messaging/push/live-activities/schema.ts';
import type { TemplateKinds } from '../../messaging/templates/kind.ts';
import { parsePreview } from '../../messaging/templates/preview.ts';
import { checkTemplatePatch, parseTemplate } from '../../messaging/templates/schema.ts';
import { gated } from '../../platform/plans/gated.ts';
import type { RequirePlan } from '../../platform/plans/plans.ts';
import type { TemplatesApi } from '../api.ts';

const page = (_: unknown, query?: { readonly limit?: number | undefined }): void => void pageLimit(query?.limit);
const pageOfChannel = (scope: unknown, _: unknown, query?: { readonly limit?: number | undefined }): void =>
  page(scope, query);

export const planGates = (require: RequirePlan) => ({
  templates: (api: TemplatesApi, kinds: TemplateKinds): TemplatesApi =>
    gated(require, 'templates', api, {
      create: (_, channel, body) => parseTemplate(kinds[channel], body),
      update: (_, channel, _id, patch) => checkTemplatePatch(kinds[channel], patch),
      preview: (_, _channel, _id, body = {}) => parsePreview(body),
      list: pageOfChannel,
    }),
  abTests: (api: AbTestsApi): AbTestsApi =>
    gated(require, 'abTests', api, {
      create: (_, channel, body) => parseAbTest(channel, body),
      update: (_, channel, _id, body) => parseAbTestPatch(channel, body),
      complete: (_, _channel, _id, body) => parseComplete(body),
      list: pageOfChannel,
    }),
  geofences: (api: GeofencesApi): GeofencesApi =>
    gated(require, 'geofences', api, {
      create: (_, body) => parseGeofence(body),
      update: (_, _id, body) => parseGeofencePatch(body),
      nearest: (_, query) => parseNearest(query),
      report: (_, body) => parseGeofenceReport(body),
      list: page,
    }),
  liveActivities: (api: LiveActivitiesApi): LiveActivitiesApi =>
    gated(require, 'liveActivities', api, {
      registerToken: ({ environment }, body) => parseActivityToken(body, environment),
      start: (_, body) => parseActivityStart(body),
      update: (_, _id, body) => parseActivityUpdate(body),
      end: (_, _id, body) => parseActivityEnd(body),
      list: page,
    }),
});
