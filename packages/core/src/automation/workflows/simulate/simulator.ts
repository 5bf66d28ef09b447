import { compact } from '../../../foundation/compact.ts';
import type { DryRunMessage } from '../../../messaging/sends/answers.generated.ts';
import type { Simulation } from './answers.generated.ts';
// Simulates a definition without a database, for a host's tests, and a stored definition with stored data.

import { CHANNELS, type Channel } from '../../../foundation/channel.ts';
import { type Clock, systemClock } from '../../../foundation/clock.ts';
import { anonymousPerson, userPerson } from '../../../foundation/person.ts';
import { type InScope, type Scope, scopeOf } from '../../../foundation/scope.ts';
import type { PlanSend } from '../../../messaging/sends/accept/accept.ts';
import type { DryRuns } from '../../../messaging/sends/accept/dry-run.ts';
import { type Address, type Channels, recipientKey } from '../../../messaging/sends/channel.ts';
import type { IsMemberWithTraits } from '../../../people/audiences/member-with-traits.ts';
import { blankProfile, type ProfileView, personKey } from '../../../people/profiles/view.ts';
import type { StepReads } from '../../runs/dispatch.ts';
import { stepTypes } from '../../runs/steps/list.ts';
import type { WorkflowInput } from '../api.ts';
import { parseWorkflow } from '../schema.ts';
import type { SimulateInput } from './api.ts';
import { parseSimulate, type SimulateBody } from './schema.ts';
import type { SimulatedDevice } from './sends.ts';
import { type SimulatedDefinition, type SimulatePorts, simulateWorkflow } from './simulate.ts';

/** A scope that no database has. */
const NOWHERE: InScope = { scopeId: 0 };
const EXAMPLE_URL = 'https://beckon.example.com';
/** Id of a definition that is not stored. Branches by percentage hash it with the user. */
const NO_ID = '00000000-0000-7000-8000-000000000000';

/** Plans and renders sends without reading or writing anything. */
export type PureSends = { readonly plan: PlanSend; readonly channels: Channels };

const personIn = ({ event, user = {} }: SimulateBody): string => {
  const userId = user.userId ?? event.userId;
  return userId === undefined ? anonymousPerson(user.anonymousId ?? event.anonymousId ?? '') : userPerson(userId);
};

/** The profile of the input merged into the stored one; undefined if there is neither. */
const profileIn = (
  scope: InScope,
  body: SimulateBody,
  stored: ProfileView | undefined,
  now: Date,
): ProfileView | undefined => {
  const { user } = body;
  if (!user) return stored;
  const before = stored ?? blankProfile({ ...scopeOf(scope), person: personIn(body) }, now);
  const { traits = {}, email = before.email, phone = before.phone, locale, timezone } = user;
  return {
    ...before,
    traits: { ...before.traits, ...traits },
    email,
    phone,
    ...compact({ localeOverride: locale, timezoneOverride: timezone }),
  };
};

const devicesIn = ({ user }: SimulateBody): readonly SimulatedDevice[] | undefined =>
  user?.devices?.map(({ platform, locale = null }, index) => ({
    address: { address: `device-${index + 1}`, name: null, facts: { platform } },
    locale,
  }));

const templatesIn =
  ({ answers }: SimulateBody): SimulatePorts['template'] =>
  async (channel, id) => {
    const answer = answers?.templates?.[id];
    return answer?.channel === channel ? { id, version: 1, content: answer.content } : null;
  };

/** Implements `simulate`. */
export const simulateDefinition = async (
  sends: PureSends,
  workflow: WorkflowInput,
  input: SimulateInput,
): Promise<Simulation> => {
  const definition = parseWorkflow({ isActive: true, ...workflow });
  const body = parseSimulate(input);
  const now = body.now === undefined ? systemClock.now() : new Date(body.now);
  const ports: SimulatePorts = {
    ...sends,
    catalog: stepTypes,
    scope: NOWHERE,
    profile: profileIn(NOWHERE, body, undefined, now),
    devices: devicesIn(body) ?? [],
    missing: () => null,
    publicUrl: EXAMPLE_URL,
    template: templatesIn(body),
    orgTimezone: async () => body.timezone ?? null,
  };
  return simulateWorkflow(ports, { ...definition, id: NO_ID, version: null }, body, now);
};

export type SimulatorContext = StepReads & {
  readonly clock: Clock;
  readonly publicUrl: string | null;
  readonly dryRun: DryRuns;
  readonly isMemberWithTraits: IsMemberWithTraits;
  readonly pureSends: () => PureSends;
  /** Throws NOT_FOUND. */
  readonly find: (scope: Scope, id: string) => Promise<SimulatedDefinition>;
};

/** Simulates stored workflows with the stored profile, devices, templates and providers. */
export const simulator =
  (deps: SimulatorContext) =>
  async (scope: Scope, id: string, input: SimulateInput): Promise<Simulation> => {
    const body = parseSimulate(input);
    const workflow = await deps.find(scope, id);
    const now = body.now === undefined ? deps.clock.now() : new Date(body.now);
    const key = { ...scopeOf(scope), person: personIn(body) };
    const userId = body.user?.userId ?? body.event.userId;
    const recipients = userId === undefined ? [] : [{ kind: 'user', userId } as const];
    const [profiles, lookup, settingsOf] = await Promise.all([
      deps.loadProfiles([key]),
      deps.lookUpSends(CHANNELS.map((channel) => ({ scope: scopeOf(scope), channel, recipients }))),
      deps.loadSettings([scope]),
    ]);
    const profile = profileIn(scope, body, profiles.get(personKey(key)), now);
    const suppliedTemplate = templatesIn(body);
    const registered = (): readonly Address[] => {
      const [recipient] = recipients;
      return recipient ? (lookup.addresses('push')?.get(recipientKey({ ...scopeOf(scope), recipient })) ?? []) : [];
    };
    const orgTimezone = body.timezone ?? settingsOf(scope).orgDefaultTimezone;
    const ports: SimulatePorts = {
      ...deps.pureSends(),
      catalog: stepTypes,
      scope: scopeOf(scope),
      profile,
      devices: devicesIn(body) ?? registered().map((address) => ({ address, locale: null })),
      missing: (channel: Channel) => lookup.missing(scopeOf(scope), channel, null),
      applyRules: async (request, messages, at) => {
        const { messages: judged } = await deps.dryRun(scope, request, 0, at);
        const verdicts = new Map(judged.map((one) => [one.address, one]));
        return messages.map((message): DryRunMessage => {
          const verdict = verdicts.get(message.address);
          const isStopped = message.status === 'queued' && verdict?.status === 'suppressed';
          return isStopped && verdict.address !== null ? verdict : message;
        });
      },
      publicUrl: deps.publicUrl,
      template: async (channel, templateId) =>
        (await suppliedTemplate(channel, templateId)) ?? deps.useTemplate(scope, channel, templateId),
      mayUse: (gate) => deps.allows(scope.orgId, gate),
      orgTimezone: async () => orgTimezone,
      mailTracking: async () => settingsOf(scope).channels.email.tracking,
      known: (condition) => deps.loadKnown(scopeOf(scope), key.person, condition, now),
      isMember: async (audienceId) => {
        const person = { ...key, profile, lists: body.user?.audiences ?? [], orgTimezone };
        const isIn = await deps.isMemberWithTraits(person, audienceId, now);
        if (isIn !== null || body.user?.audiences?.includes(audienceId)) return isIn;
        return (await deps.loadKnown(scope, key.person, { audience: audienceId, op: 'in' }, now)).isMember(audienceId);
      },
      loadTest: async (channel, abTestId) => {
        const ref = { ...scopeOf(scope), abTestId };
        return (await deps.tests.load([ref]))({ ...ref, channel });
      },
    };
    return simulateWorkflow(ports, workflow, body, now);
  };
