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
  /** From 0 (inclusive) to 1. */
  readonly random: () => number;
  readonly loadProfiles: LoadProfiles;
  /** Default: nothing is set. */
  readonly loadSettings?: LoadSettings | undefined;
  /** Absent: nobody ever chose what to get. */
  readonly loadChoices?: LoadChoices | undefined;
  /** Default: mail may be from anybody. */
  readonly loadSenders?: LoadSenderRules | undefined;
  readonly channels: Channels;
  /** Default: there are no audiences. */
  readonly audiences?: SendAudiences | undefined;
  /** Default: there are no A/B tests. */
  readonly tests?: SendTests | undefined;
  /** Default: every plan opens everything. */
  readonly requirePlan?: RequirePlan | undefined;
  readonly credentials: CredentialSource & {
    /** Circuits that are open by what any process wrote last. */
    circuits(key: ChannelKey): Promise<readonly OpenCircuit[]>;
  };
  /** Default: each provider's own name. */
  readonly nameProvider?: NameProvider | undefined;
  /** How what becomes of messages is raised as events of their people. */
  readonly emitter: Emitter;
  /** How deep is what the messages of runs cause. */
  readonly causes: LoadCauses;
  /** Default: keys are refused. */
  readonly answerOnce?: AnswerOnce | undefined;
  /** What other engines write where messages end or change. */
  readonly reactions?: readonly BoundMessageReaction[] | undefined;
  /** What messages take as they are handed over and of which there is only so much. */
  readonly reservations?: readonly BoundReservation[] | undefined;
  /** Guards of a handover. Default: what was read of a recipient is not checked again. */
  readonly preconditions?: readonly Precondition[] | undefined;
  /** Default: orgs may send as much mail as they like. */
  readonly permits?: MailPermits | undefined;
  /** Default: nobody is told where to report. */
  readonly statusCallback?: StatusCallback | undefined;
  /** An SMS of which nobody knows whether the provider has it is sent again. Default false. */
  readonly resendsAmbiguous?: boolean | undefined;
  /** By what parts of sends to audiences are measured, in milliseconds. Default: this process's own time. */
  readonly elapsedMs?: (() => number) | undefined;
  /** Both in milliseconds, of the sandbox, for tests. Defaults: 10,000, and 3,000 for a slow address. */
  readonly callLimitMs?: number | undefined;
  readonly sandboxSlowMs?: number | undefined;
};

/** A message that was sent and whose person has not done yet what its test counts. */
export type Unconverted = TestRef & { readonly id: string; readonly person: string; readonly sentAt: Date };

export type Sending = {
  /** Accepts a checked request: see `Submit`. */
  readonly submit: Submit;
  readonly preview: RenderPreview<SendPreviews>;
  /** What a request would be, without a row. */
  readonly dryRun: DryRuns;
  /** Reads what `plan` needs, for any number of sends. */
  readonly lookUpSends: LookUpSends;
  /** Pure: for an engine that commits a send together with rows of its own, and with what `react` adds to them. */
  readonly plan: PlanSend;
  readonly react: Finalize['react'];
  /** Which of these channels have no provider in the scope; one statement. */
  readonly lacking: (scope: InScope, channels: readonly Channel[]) => Promise<ReadonlySet<Channel>>;
  readonly sends: SendsApi;
  readonly forPerson: MessagesFor;
  /** What messages, and sends without messages, tell of themselves. */
  readonly lifecycle: Lifecycle;
  /** Keeps what devices and callbacks report of messages that were handed over. */
  readonly report: TakeReport;
  /** Finds what a provider tells of. */
  readonly find: MessageFinder;
  /** Keeps what providers report of messages that they took, any number at a time. */
  readonly reports: TakeReports;
  readonly findOwner: FindOwner;
  readonly unsubscribing: Unsubscribing;
  /** Messages that were given variants, for those who count them. */
  readonly variants: VariantStore & {
    /** Of people in tests, those messages that an event may still count for; one statement. */
    unconverted(keys: readonly (TestRef & { readonly person: string })[]): Promise<readonly Unconverted[]>;
    /** Keeps when the person of a message first did what its test counts. */
    convert(message: Unconverted, at: Date): Write;
  };
  readonly outbox: OutboxApi;
  /** Makes parked messages of a channel due: its credentials changed. Throws nothing. */
  readonly resume: (scope: InScope, channel: Channel) => void;
  readonly registrations: {
    readonly messages: Registration<LeasedRow, MessageOutcome>;
    readonly sends: Registration<SendRow, null>;
  };
  /** Lets calls to transports finish. Idempotent. */
  close(): Promise<void>;
};

/** Sends from their acceptance to the last message's end. */
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
    onError: (error, { scopeId, channel }) => log.error({ scopeId, channel, error }, 'a transport could not be kept'),
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
  const { resume, settled } = resumer(context);

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
      await settled();
      await connections.close();
    },
  };
};
