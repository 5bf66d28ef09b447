import type { Beckon, Scope } from '@beckon/core';
import { collect } from '../listing.ts';
import { CHANNELS } from '../names.ts';
import { providerStates } from '../providers.ts';
import { type Finding, finding, type Group, type State } from './finding.ts';
import { storedPlaceholders } from './placeholders.ts';

/** Webhooks of a project that are looked at; as many as it can have. */
const MAX_WEBHOOKS = 100;
/** How long a receiver may be down before it is spoken of, in milliseconds; ours: a day. */
const FAILING_MS = 86_400_000;

/** The credentials of each channel, and whether they carry. Throws what the database throws. */
const providerFindings = async (beckon: Beckon, scope: Scope, place: string, isAsking: boolean): Promise<Finding[]> => {
  const findings: Finding[] = [];
  for (const channel of CHANNELS) {
    const check = `${place} ${channel}`;
    const say = (state: State, message: string, group: Group = 'providers'): void => {
      findings.push(finding(group, check, state, message));
    };
    const of = { settings: beckon.settings, scope };
    const states = (await providerStates(of, channel)).filter(({ configured }) => configured);
    if (states.length === 0) say('warn', 'no provider: a send of prod answers 412');
    const { openCircuits, failed, sent, retrying, status, windowMinutes } = await beckon.sends.health(scope, channel);
    if (status !== 'ok' && failed > 0)
      say(
        'warn',
        `${failed} of ${sent + failed} failed in ${windowMinutes} min, ${retrying} of them are tried again: beckon sends list --channel ${channel} --status failed --env prod`,
        'work',
      );
    for (const { provider, code, until } of openCircuits)
      say('warn', `${provider} gets no messages until ${until.toISOString()}: ${code}`);
    for (const { provider, verifiedAt } of states) {
      if (verifiedAt === null) say('warn', `never verified: beckon providers test ${provider}`);
      else say('ok', `${provider}, verified ${verifiedAt.toISOString()}`);
    }
    if (!isAsking || states.length === 0) continue;
    for (const { provider, ok, code } of (await beckon.settings.test(scope, channel)).results) {
      if (ok === null) say('skip', `${provider}: beckon send test ${channel} --env prod`);
      else if (ok) say('ok', `${provider} takes the credentials`);
      else say('fail', `${provider} refuses the credentials (${code ?? 'unknown'}): beckon providers test ${provider}`);
    }
  }
  return findings;
};

/** The records of sending domains, as DNS has them. Throws what the database throws. */
const domainFindings = async ({ emailDomains }: Beckon, scope: Scope, place: string): Promise<Finding[]> => {
  const findings: Finding[] = [];
  for (const { id, domain } of (await emailDomains.list(scope, { limit: 200 })).data) {
    const { status, checks } = await emailDomains.verify(scope, id);
    for (const { name, state, message } of checks) {
      // What no server answered is judged by what was known before.
      const isFine = state === 'found' || (name === 'ownership' && state === 'unknown' && status === 'verified');
      const otherwise: State = name === 'ownership' ? 'fail' : 'warn';
      findings.push(finding('domains', `${place} ${domain} ${name}`, isFine ? 'ok' : otherwise, message));
    }
  }
  return findings;
};

/** Receivers that have taken nothing for long. Throws what the database throws. */
const webhookFindings = async (beckon: Beckon, scope: Scope, place: string, now: Date): Promise<Finding[]> => {
  const { rows } = await collect(MAX_WEBHOOKS, (query) => beckon.webhooks.list(scope, query));
  return rows.flatMap(({ id, url, failingSince, disabledReason }): Finding[] => {
    if (failingSince === null || now.getTime() - failingSince.getTime() < FAILING_MS) return [];
    const off = disabledReason === null ? '' : ', and is told nothing any more';
    const message = `${new URL(url).host} has taken nothing since ${failingSince.toISOString()}${off}: beckon webhooks deliveries ${id} --env prod`;
    return [finding('webhooks', `${place} ${id}`, 'warn', message)];
  });
};

/** All of every project, in `prod`. `isAsking` asks providers and DNS too. */
export const tenantFindings = async (beckon: Beckon, now: Date, isAsking: boolean): Promise<Finding[]> => {
  const all: Finding[] = [];
  for (const { id: projectId, orgId, name } of await beckon.tenancy.listProjects()) {
    const scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
    all.push(...(await providerFindings(beckon, scope, name, isAsking)));
    if (isAsking) all.push(...(await domainFindings(beckon, scope, name)));
    else all.push(finding('domains', name, 'skip', 'looked up with --network'));
    all.push(...(await webhookFindings(beckon, scope, name, now)));
    all.push(...(await storedPlaceholders(beckon, scope, name)));
  }
  return all;
};
