import { type OutboundOptions, savedUrlRules } from '../delivery/providers/outbound.ts';
import type { Scope } from '../foundation/scope.ts';
import { type MakeQueue, queue } from '../jobs/worker.ts';
import type { EventRecord } from '../people/events/answers.generated.ts';
import type { Emitter } from '../people/events/emit.ts';
import { bindReaction } from '../people/events/pipeline.ts';
import type { Platform } from '../platform/platform.ts';
import type { WorkflowSecrets } from '../platform/tenancy/secrets/workflow-secrets.ts';
import type { WebhooksApi } from './api.ts';
import { bodyReader } from './deliver/bodies.ts';
import { deliveryDispatcher } from './deliver/dispatch.ts';
import { publishIdentifyCalls } from './deliver/identified.ts';
import { type WebhookPublisher, webhookPublisher } from './deliver/publish.ts';
import { receivers as webhookReceivers } from './deliver/receivers.ts';
import { planStepDelivery, type StepRequest, type StepWrites } from './deliver/step-delivery.ts';
import { type StepRuns, stepPoster } from './deliver/steps.ts';
import { otherDueTargets } from './deliver/store.ts';
import { webhookHistory } from './history/history.ts';
import { poster as makePoster } from './post.ts';
import { sealedWebhooks } from './sealed.ts';
import { type WebhookStatements, webhookStatements } from './statements.ts';
import type { WebhookTables } from './tables.ts';
import { webhookDefinitions } from './webhooks.ts';

/** The parts of webhooks that the emitter and runs use. */
export type WebhookContributions = {
  readonly name: 'webhooks';
  readonly internal: {
    readonly publisher: WebhookPublisher;
    /** Plans the request of a workflow step; null if nothing is posted in this scope. */
    planStepDelivery(scope: Scope, request: StepRequest): StepWrites | null;
    /** For `webhooksModule`. */
    readonly statements: WebhookStatements;
  };
};

/** Built before the emitter, which publishes through `publisher`, and before runs, whose steps post. */
export const webhookContributions = (
  { storage, tables, clock }: Platform<WebhookTables>,
  sandbox: { readonly deliverWebhookSteps?: boolean | undefined } = {},
): WebhookContributions => {
  const statements = webhookStatements(tables);
  const publisher = webhookPublisher({ storage, hot: statements, clock });
  const posting = { statements, clock, isSandboxed: sandbox.deliverWebhookSteps !== true };
  return {
    name: 'webhooks',
    internal: {
      publisher,
      planStepDelivery: (scope, request) => planStepDelivery(posting, scope, request),
      statements,
    },
  };
};

export type WebhookNeeds = {
  readonly outbound: OutboundOptions | undefined;
  readonly emitter: Emitter;
  /** The runs that wait for a delivery of their step. */
  readonly runs: StepRuns;
  readonly secrets: Pick<WorkflowSecrets, 'valuesOf' | 'signingSecrets'>;
};

/** Functions for other modules. */
export type Webhooks = {
  /** An event that was delivered to a webhook; null if there is none, or it was deleted. */
  findPublished(scope: Scope, eventId: string): Promise<EventRecord | null>;
};

/** Webhooks and their deliveries. Built after runs, which wait for deliveries of their steps. */
export const webhooksModule = (
  platform: Platform<WebhookTables>,
  { internal: { publisher, statements: hot } }: WebhookContributions,
  { outbound, emitter, runs, secrets }: WebhookNeeds,
) => {
  const { storage, tables, clock, log, tracing, scopes, keyring } = platform;
  const { allowCidrs, ca, webhooks: { httpsOnly } = {} } = outbound ?? {};
  const poster = makePoster({ clock, allowCidrs, ca, httpsOnly, tracing });
  const receivers = webhookReceivers({ storage, hot, secrets: keyring, scopes, clock });
  const history = webhookHistory(platform, hot);
  const onChange = (scope: Scope): void => {
    publisher.forget(scope);
    receivers.forget();
  };
  const definitions = webhookDefinitions(platform, { urls: savedUrlRules(outbound), onChange });
  const deliveries = deliveryDispatcher(
    { storage, tables, clock, log, statements: hot },
    {
      ...{ receivers, poster },
      bodiesOf: bodyReader({ storage, hot }),
      hasOtherOwnersDue: otherDueTargets(storage, tables),
      steps: stepPoster({ clock, scopes, poster, runs, secrets }),
      onDisabled: publisher.forget,
    },
  );
  const makeQueue: MakeQueue = (options) => queue(options, deliveries);

  return {
    name: 'webhooks',
    api: { ...definitions, ...history.api } satisfies WebhooksApi,
    internal: { findPublished: history.findPublished } satisfies Webhooks,
    ingestReactions: [bindReaction(publishIdentifyCalls(emitter))],
    queues: [makeQueue],
    erasers: [history.eraser],
    maintenance: [{ name: 'webhook deliveries', run: history.sweep }],
    sealedValues: [sealedWebhooks({ storage, tables, scopes })],
    close: poster.close,
  };
};
