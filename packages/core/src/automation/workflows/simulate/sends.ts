// Sends of simulated steps: planned like a worker's, rendered like a dry run's, and not sent.

import type { Missing } from '../../../delivery/providers/connections.ts';
import type { Mailbox } from '../../../delivery/transports/port.ts';
import type { Ids } from '../../../foundation/ids.ts';
import { userIdOf } from '../../../foundation/person.ts';
import { scopeOf } from '../../../foundation/scope.ts';
import type { PlanSend } from '../../../messaging/sends/accept/accept.ts';
import { renderedRow } from '../../../messaging/sends/accept/rendered-row.ts';
import type { SendLookup } from '../../../messaging/sends/accept/send-lookup.ts';
import type { DryRunMessage } from '../../../messaging/sends/answers.generated.ts';
import { type Address, type Channels, recipientKey } from '../../../messaging/sends/channel.ts';
import { chooseContent } from '../../../messaging/sends/deliver/choose-content.ts';
import { contentOf } from '../../../messaging/sends/deliver/content.ts';
import type { TestView } from '../../../messaging/sends/deliver/variants.ts';
import type { NewMessage } from '../../../messaging/sends/rows.ts';
import type { SendRequest } from '../../../messaging/sends/schema.ts';
import type { LoadedEmitter } from '../../../people/events/emit.ts';
import { localeOf } from '../../../people/profiles/view.ts';
import { sendStep } from '../../runs/steps/send.ts';
import type { PlanContext, StepDone, StepSend } from '../../runs/steps/step.ts';
import type { SimulatedSend } from './answers.generated.ts';

/** A device of the user, with its locale if known. */
export type SimulatedDevice = { readonly address: Address; readonly locale: string | null };

export type SimulatedSends = {
  readonly plan: PlanSend;
  readonly channels: Channels;
  readonly devices: readonly SimulatedDevice[];
  /** What a channel lacks for sending; null: nothing. */
  missing(channel: StepSend['channel']): Missing | null;
  /** The A/B test of a channel; null: none. Absent: no variants are chosen. */
  loadTest?(channel: StepSend['channel'], abTestId: string): Promise<TestView | null>;
  /** Applies the checks of sending to messages that could be sent; absent: all are sent. */
  applyRules?(request: SendRequest, messages: readonly DryRunMessage[], now: Date): Promise<readonly DryRunMessage[]>;
};

/** The request to a channel, and its planned messages. */
export type Captured = { readonly request: SendRequest; readonly messages: readonly NewMessage[] };

const SENDER: Mailbox = { email: 'sender@example.com', name: null };
const NO_ADDRESSES: ReadonlyMap<string, readonly Address[]> = new Map();
const NO_EVENTS: LoadedEmitter = {
  hasSubscribers: () => false,
  emit: () => ({ writes: [], wakes: [] }),
  publish: () => ({ writes: [], wakes: [] }),
};

/** Plans the send of a step without executing it, and captures the request. */
export const captureSend = (
  { plan, devices, missing }: SimulatedSends,
  ids: Ids,
  facts: Pick<PlanContext, 'profile' | 'run' | 'path' | 'now'>,
  stepSend: StepSend,
): { readonly done: StepDone; readonly captured: Captured | null } => {
  let captured: Captured | null = null;
  const { scope, person } = facts.run;
  const userId = userIdOf(person);
  const own: ReadonlyMap<string, readonly Address[]> = new Map(
    userId === null || devices.length === 0
      ? []
      : [
          [
            recipientKey({ ...scopeOf(scope), recipient: { kind: 'user', userId } }),
            devices.map(({ address }) => address),
          ],
        ],
  );
  const lookup: SendLookup = {
    addresses: (channel) => (channel === 'push' ? own : NO_ADDRESSES),
    missing: () => null,
    refusal: (_, { channel }) => missing(channel),
    emission: NO_EVENTS,
  };
  const watched: PlanSend = (...given) => {
    const planned = plan(...given);
    captured = { request: given[1], messages: planned.messages as readonly NewMessage[] };
    return planned;
  };
  const {
    writes: _writes,
    wakes: _wakes,
    changes: _changes,
    ...done
  } = sendStep({ ids, plan: watched }, lookup, facts, stepSend);
  return { done, captured };
};

/** The messages as the provider would receive them, or why they would not be sent, and the A/B variant. */
export const renderedSend = async (
  { channels, devices, loadTest, applyRules }: Pick<SimulatedSends, 'channels' | 'devices' | 'loadTest' | 'applyRules'>,
  { request, messages }: Captured,
  { profile, now }: Pick<PlanContext, 'profile' | 'now'>,
): Promise<Pick<SimulatedSend, 'variant' | 'messages'>> => {
  const { channel, abTestId } = request;
  const test = (abTestId && (await loadTest?.(channel, abTestId))) || null;
  await channels[channel].ready?.();
  const send = contentOf(request);
  const [first] = messages;
  // A step sends to one user, so all of its messages have the same variant.
  const variant = first ? chooseContent(channels[channel], { row: first, send, test, locale: null }).variant : null;
  const rendered = messages.map((row) => {
    const device = devices.find(({ address }) => address.address === row.address);
    return renderedRow(channels, row, request, {
      profile: row.person === null ? undefined : profile,
      locale: device?.locale ?? (profile && row.person !== null ? localeOf(profile) : null),
      test,
      defaultFrom: SENDER,
      statusCallback: null,
      now,
    });
  });
  return { variant, messages: applyRules ? await applyRules(request, rendered, now) : rendered };
};
