import type { Beckon, Scope } from '@beckon/core';
import { allRows, collect } from '../listing.ts';
import { CHANNELS } from '../names.ts';
import { providerStates } from '../providers.ts';
import { type Finding, finding, type Group, type State } from './finding.ts';
import { storedPlaceholders } from './placeholders.ts';

/** Maximum webhooks of a project. Source: interface, Limits. */
const MAX_WEBHOOKS = 100;
/** Failing time of a webhook that doctor warns about, in milliseconds. Chosen: one day. */
const FAILING_MS = 86_400_000;

/** Checks of each channel's credentials. Throws the errors of the database. */
const providerFindings = async (beckon: Beckon, scope: Scope, place: string, isOnline: boolean): Promise<Finding[]> => {
  const findings: Finding[] = [];
  for (const channel of CHANNELS) {
    const check = `${place} ${channel}`;
    const add = (state: State, message: string, group: Group = 'providers'): void => {
      findings.push(finding(group, check, state, message));
    };
    const of = { settings: beckon.settings, scope };
    const states = (await providerStates(of, channel)).filter(({ configured }) => configured);
    if (states.length === 0) add('warn', 'no provider: sends in prod fail with 412');
    const { openCircuits, failed, sent, retrying, status, windowMinutes } = await beckon.sends.health(scope, channel);
    if (status !== 'ok' && failed > 0)
      add(
        'warn',
        `${failed} of ${sent + failed} failed in ${windowMinutes} min, ${retrying} will be retried: beckon sends list --channel ${channel} --status failed --env prod`,
        'work',
      );
    for (const { provider, code, until } of openCircuits)
      add('warn', `${provider} is paused until ${until.toISOString()}: ${code}`);
    for (const { provider, verifiedAt } of states) {
      if (verifiedAt === null)
        add('warn', `${provider} never accepted its credentials: beckon providers test ${provider}`);
      else add('ok', `${provider}, verified ${verifiedAt.toISOString()}`);
    }
    if (!isOnline || states.length === 0) continue;
    for (const { provider, ok, code } of (await beckon.settings.test(scope, channel)).results) {
      if (ok === null) add('skip', `${provider}: beckon send test ${channel} --env prod`);
      else if (ok) add('ok', `${provider} accepts the credentials`);
      else add('fail', `${provider} rejects the credentials (${code ?? 'unknown'}): beckon providers test ${provider}`);
    }
  }
  return findings;
};

/** DNS records of sending domains. Throws the errors of the database. */
const domainFindings = async ({ emailDomains }: Beckon, scope: Scope, place: string): Promise<Finding[]> => {
  const findings: Finding[] = [];
  for (const { id, domain } of (await emailDomains.list(scope, { limit: 200 })).data) {
    const { status, checks } = await emailDomains.verify(scope, id);
    for (const { name, state, message } of checks) {
      // Without an answer from DNS, the last known status decides.
      const isFine = state === 'found' || (name === 'ownership' && state === 'unknown' && status === 'verified');
      const otherwise: State = name === 'ownership' ? 'fail' : 'warn';
      findings.push(finding('domains', `${place} ${domain} ${name}`, isFine ? 'ok' : otherwise, message));
    }
  }
  return findings;
};

/** Webhooks that have failed for long. Throws the errors of the database. */
const webhookFindings = async (beckon: Beckon, scope: Scope, place: string, now: Date): Promise<Finding[]> => {
  const { rows } = await collect(MAX_WEBHOOKS, (query) => beckon.webhooks.list(scope, query));
  return rows.flatMap(({ id, url, failingSince, disabledReason }): Finding[] => {
    if (failingSince === null || now.getTime() - failingSince.getTime() < FAILING_MS) return [];
    const off = disabledReason === null ? '' : ' and is disabled';
    const message = `${new URL(url).host} has failed since ${failingSince.toISOString()}${off}: beckon webhooks deliveries ${id} --env prod`;
    return [finding('webhooks', `${place} ${id}`, 'warn', message)];
  });
};

/** Checks of every project in `prod`. `isOnline` also queries providers and DNS. */
export const tenantFindings = async (beckon: Beckon, now: Date, isOnline: boolean): Promise<Finding[]> => {
  const all: Finding[] = [];
  for (const { id: projectId, orgId, name } of await allRows(beckon.tenancy.listProjects)) {
    const scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
    all.push(...(await providerFindings(beckon, scope, name, isOnline)));
    if (isOnline) all.push(...(await domainFindings(beckon, scope, name)));
    else all.push(finding('domains', name, 'skip', 'not checked: pass --network'));
    all.push(...(await webhookFindings(beckon, scope, name, now)));
    all.push(...(await storedPlaceholders(beckon, scope, name)));
  }
  return all;
};
