// The client for programs with a secret key.

export { ApiError, type ClientCode, type ErrorCode, fieldErrors, isRateLimited, isTierRequired } from '../errors.ts';
export type {
  BundleInput,
  ConditionInput,
  Operations,
  PredicateInput,
  StepInput,
  WorkflowInput,
} from '../generated/wire.ts';
export type { CallOptions, Page, Pages, ServerClient } from './client-types.ts';
export { createServerClient, type ServerClientOptions } from './server-client.ts';
// Webhook events that the service posts to you.
export {
  verifyWebhook,
  WebhookError,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookOptions,
  type WebhookReason,
} from './verify-webhook.ts';
