import { type Write, write } from '../../database/commit/write-set.ts';
import type { OpenCircuit } from '../../delivery/providers/connections.ts';
import { type ChannelKey, type CredentialSource, providerConnections } from '../../delivery/providers/connections.ts';
import { providerFor } from '../../delivery/providers/names.ts';
import type { NameProvider } from '../../delivery/providers/own-transports.ts';
import type { OutboxApi } from '../../delivery/transports/sandbox/api.ts';
import type { Channel } from '../../foundation/channel.ts';
import { type InScope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { Registration } from '../../jobs/registration.ts';
import type { Emitter } from '../../people/events/emit.ts';
import type { Lifecycle } from '../../people/events/history.ts';
import type { LoadProfiles } from '../../people/profiles/view.ts';
import { type AnswerOnce, withoutKeys } from '../../platform/idempotency/once.ts';
import type { MailPermits } from '../../platform/limits/mail-permits.ts';
import type { RequirePlan } from '../../platform/plans/plans.ts';
import type { LoadSettings } from '../settings/reader.ts';
import { viewOf } from '../settings/view.ts';
import type { RenderPreview } from '../templates/preview.ts';
import { type PlanSend, planSends } from './accept/accept.ts';
import { type DryRuns, dryRuns } from './accept/dry-run.ts';
import { previews } from './accept/preview.ts';
import { type LookUpSends, sendLookup } from './accept/send-lookup.ts';
import { senderRefusal } from './accept/sender-refusal.ts';
import { type Submit, submitter } from './accept/submit.ts';
import type { SendPreviews, SendsApi } from './api.ts';
import { noAudiences, type SendAudiences } from './audience.ts';
import type { Channels } from './channel.ts';
import type { LoadChoices } from './choices.ts';
import type { SendingPlatform, SendsContext } from './context.ts';
import { dispatcher } from './deliver/dispatch.ts';
import { messageExplainer } from './deliver/explain.ts';
import type { MessageOutcome, Precondition } from './deliver/message.ts';
import type { BoundReservation } from './deliver/reservations.ts';
import { resumer } from './deliver/resume.ts';
import { noTests, type SendTests, type TestRef } from './deliver/variants.ts';
import { lookAhead } from './deliver/would-stop.ts';
import { messageBacklog } from './expand/backlog.ts';
import { expander } from './expand/expand.ts';
import { canceller } from './finalize/cancel.ts';
import { type Finalize, finalizer } from './finalize/finalize.ts';
import type { BoundMessageReaction } from './finalize/reactions.ts';
import { sendEndings } from './finalize/send-endings.ts';
import type { LoadCauses } from './lifecycle.ts';
import { outboxEngine } from './outbox/outbox.ts';
import { outboxStore } from './outbox/store.ts';
import { deliveryHealth } from './read/health.ts';
import { readLifecycle } from './read/lifecycle.ts';
import { type MessagesFor, sendReads } from './read/sends.ts';
import { momentStore } from './read/store.ts';
import { sendThroughput } from './read/throughput.ts';
import { ANY_SENDER, type LoadSenderRules } from './senders.ts';
import { type LeasedRow, messageQueue, sendingStatements } from './statements.ts';
import type { StatusCallback } from './status-callback.ts';
import { type SendRow, sendingStore } from './store.ts';
import { deliveryReports, type FindOwner, ownerFinder, type TakeReports } from './track/delivery-report.ts';
import { engagementOf, type TakeReport } from './track/engagement.ts';
import { type MessageFinder, messageFinder } from './track/find-messages.ts';
import { type Unsubscribing, unsubscribing } from './track/unsubscribing.ts';
import { variantStatements } from './variants/statements.ts';
import { type VariantStore, variantStore } from './variants/store.ts';

/** What sending uses of other modules. */
export type SendsNeeds = {
  /** Random number from 0 (inclusive) to 1. */
  readonly random: () => number;
  readonly loadProfiles: LoadProfiles;
  /** Default: no settings. */
  readonly loadSettings?: LoadSettings | undefined;
  /** Absent: no user ever made a choice. */
  readonly loadChoices?: LoadChoices | undefined;
  /** Default: any sender is allowed. */
  readonly loadSenders?: LoadSenderRules | undefined;
  readonly channels: Channels;
  /** Default: no audiences. */
  readonly audiences?: SendAudiences | undefined;
  /** Default: no A/B tests. */
  readonly tests?: SendTests | undefined;
  /** Default: every plan has all features. */
  readonly requirePlan?: RequirePlan | undefined;
  readonly credentials: CredentialSource & {
    /** Circuits that are open according to the last write of any process. */
    circuits(key: ChannelKey): Promise<readonly OpenCircuit[]>;
  };
  /** Default: each provider's own name. */
  readonly nameProvider?: NameProvider | undefined;
  /** Raises message outcomes as events of users. */
  readonly emitter: Emitter;
  /** Cause depth and budget of events that workflow messages raise. */
  readonly causes: LoadCauses;
  /** Default: idempotency keys are rejected. */
  readonly answerOnce?: AnswerOnce | undefined;
  /** Writes of other engines when messages end or change. */
  readonly reactions?: readonly BoundMessageReaction[] | undefined;
  /** Limited resources that a handover reserves, such as frequency caps. */
  readonly reservations?: readonly BoundReservation[] | undefined;
  /** Guards of a handover. Default: recipient facts are not checked again. */
  readonly preconditions?: readonly Precondition[] | undefined;
  /** Default: no limit on emails per organization. */
  readonly permits?: MailPermits | undefined;
  /** Default: no status callback URL. */
  readonly statusCallback?: StatusCallback | undefined;
  /** If true, an SMS is sent again when it is unknown whether the provider accepted it. Default false. */
  readonly resendsAmbiguous?: boolean | undefined;
  /** Monotonic milliseconds, to measure parts of audience sends. Default: the clock of this process. */
  readonly elapsedMs?: (() => number) | undefined;
  /** Sandbox call limits for tests, both in milliseconds. Defaults: 10,000, and 3,000 for a slow address. */
  readonly callLimitMs?: number | undefined;
  readonly sandboxSlowMs?: number | undefined;
};

/** A sent message whose user has not yet done what the A/B test counts. */
export type Unconverted = TestRef & { readonly id: string; readonly person: string; readonly sentAt: Date };

export type Sending = {
  /** Accepts a checked request: see `Submit`. */
  readonly submit: Submit;
  readonly preview: RenderPreview<SendPreviews>;
  /** Computes the result of a request without writing a row. */
  readonly dryRun: DryRuns;
  /** Reads what `plan` needs, for any number of sends. */
  readonly lookUpSends: LookUpSends;
  /** Pure. For an engine that commits a send together with its own rows and the writes that `react` adds. */
  readonly plan: PlanSend;
  readonly react: Finalize['react'];
  /** The channels without a provider in the scope; one statement. */
  readonly lacking: (scope: InScope, channels: readonly Channel[]) => Promise<ReadonlySet<Channel>>;
  readonly sends: SendsApi;
  readonly forPerson: MessagesFor;
  /** Lifecycle events of messages, and of sends without messages. */
  readonly lifecycle: Lifecycle;
  /** Stores reports of devices and callbacks about handed-over messages. */
  readonly report: TakeReport;
  /** Finds the message that a provider's report names. */
  readonly find: MessageFinder;
  /** Stores provider reports about accepted messages, any number at a time. */
  readonly reports: TakeReports;
  readonly findOwner: FindOwner;
  readonly unsubscribing: Unsubscribing;
  /** Messages with variants, for A/B test statistics. */
  readonly variants: VariantStore & {
    /** Messages of users in tests that an event may still convert; one statement. */
    unconverted(keys: readonly (TestRef & { readonly person: string })[]): Promise<readonly Unconverted[]>;
    /** Stores when the user first did what the test counts. */
    convert(message: Unconverted, at: Date): Write;
  };
  readonly outbox: OutboxApi;
  /** Makes held messages of a channel due after its credentials changed. Throws nothing. */
  readonly resume: (scope: InScope, channel: Channel) => void;
  readonly registrations: {
    readonly messages: Registration<LeasedRow, MessageOutcome>;
    readonly sends: Registration<SendRow, null>;
  };
  /** Waits for running transport calls. Idempotent. */
  close(): Promise<void>;
};

/** Builds sending: from acceptance to the end of the last message. */
export const sendingEngine = (platform: SendingPlatform, needs: SendsNeeds): Sending => {
  const { storage, tables, clock, ids, scopes, log } = platform;
  const { credentials, emitter, causes, answerOnce = withoutKeys, requirePlan = async () => undefined } = needs;
  const { nameProvider = (channel, platform, provider) => provider ?? providerFor(channel, platform) } = needs;
  const hot = sendingStatements(tables);
  const hotVariants = variantStatements(tables);
  const store = sendingStore({ db: storage.db, dialect: storage.dialect, tables });
  const outbox = outboxEngine({ storage, store: outboxStore({ db: storage.db, tables }), hot, clock, ids });
  const connections = providerConnections({
    clock,
    scopes,
    credentials,
    recorder: outbox.recorder,
    sandboxSlowMs: needs.sandboxSlowMs,
    callLimitMs: needs.callLimitMs,
    onError: (error, { scopeId, channel }) =>
      log.error({ scopeId, channel, error }, 'the state of a provider connection could not be stored'),
  });
  const finalize = finalizer({ storage, hot, reactions: needs.reactions ?? [] });
  const context: SendsContext = {
    ...platform,
    random: needs.random,
    store,
    hot,
    connections,
    finalize,
    emitter,
    causes,
    channels: needs.channels,
    audiences: needs.audiences ?? noAudiences,
    loadProfiles: needs.loadProfiles,
    loadSettings: needs.loadSettings ?? (async () => () => viewOf([])),
    loadChoices: needs.loadChoices,
    loadSenders: needs.loadSenders ?? (async () => () => ANY_SENDER),
    tests: needs.tests ?? noTests,
    statusCallback: needs.statusCallback ?? (() => null),
    resendsAmbiguous: needs.resendsAmbiguous ?? false,
    reservations: needs.reservations ?? [],
    preconditions: needs.preconditions ?? [],
  };
  const reads = sendReads(store);
  const backlog = messageBacklog(storage, messageQueue(tables));
  const reports = deliveryReports(context);
  const endSend = sendEndings({ emitter, causes });
  const lookUpSends = sendLookup(context.channels, connections, emitter);
  const plan = planSends(hot, context.channels);
  const dryRun = dryRuns({ ...context, wouldStop: lookAhead(context) });
  const refuseSender = senderRefusal(context);
  const { resume, whenIdle } = resumer(context);

  return {
    lacking: async (scope, channels) => {
      const keys = channels.map((channel) => ({ ...scopeOf(scope), channel }));
      const missing = await connections.missing(keys);
      return new Set(keys.filter((key) => missing(key, null) !== null).map(({ channel }) => channel));
    },
    dryRun,
    submit: submitter({ ...context, lookUpSends, plan, dryRun, refuseSender, answerOnce, requirePlan }),
    preview: previews(context),
    lookUpSends,
    plan,
    react: finalize.react,
    sends: {
      ...reads.api,
      message: messageExplainer(context),
      cancel: canceller({ ...context, endSend, get: reads.api.get }),
      health: deliveryHealth({ store, clock, circuits: credentials.circuits, nameProvider }),
      throughput: sendThroughput({ store, clock, nameProvider }),
    },
    forPerson: reads.forPerson,
    lifecycle: readLifecycle(store, momentStore({ db: storage.db, tables })),
    report: engagementOf(context),
    find: messageFinder(context),
    reports,
    findOwner: ownerFinder(context),
    unsubscribing: unsubscribing(context),
    variants: {
      ...variantStore({ db: storage.db, tables }),
      unconverted: async (keys) => {
        const found = await storage.select(
          hotVariants.unconverted,
          keys.map(({ abTestId, person, ...scope }) => [scopeKey(scope), abTestId, person]),
        );
        return found.flatMap(({ abTestId, abTestUnit: person, sentAt, ...row }) =>
          abTestId === null || person === null || sentAt === null ? [] : [{ ...row, abTestId, person, sentAt }],
        );
      },
      convert: (message, at) => write(hotVariants.convert, { ...scopeOf(message), id: message.id, convertedAt: at }),
    },
    outbox: outbox.api,
    resume,
    registrations: {
      messages: dispatcher({ ...context, permits: needs.permits, resume, reports, backlog }),
      sends: expander({ ...context, backlog, endSend, elapsedMs: needs.elapsedMs }),
    },
    close: async () => {
      await whenIdle();
      await connections.close();
    },
  };
};
