import type { Beckon, Scope } from '@beckon/core';
import { toneOf } from '../colour.ts';
import { act, databaseOptions, outputOptions, type Register } from '../command-line.ts';
import { EXIT } from '../exit-codes.ts';
import { CHANNELS } from '../names.ts';
import { type Column, createOutput } from '../output.ts';
import { providerStates } from '../providers.ts';

type State = 'ok' | 'warn' | 'fail';
type Finding = {
  readonly group: 'runtime' | 'storage' | 'network' | 'providers' | 'domains' | 'work';
  readonly check: string;
  readonly state: State;
  readonly message: string;
};

const COLUMNS: readonly Column<Finding>[] = [
  ['GROUP', ({ group }) => group],
  ['CHECK', ({ check }) => check],
  ['RESULT', ({ state }) => (state === 'fail' ? 'failed' : state), toneOf],
  ['MESSAGE', ({ message }) => message],
];

const serviceFindings = async (beckon: Beckon, publicUrl: string | undefined): Promise<Finding[]> => {
  const { database, schema, worker, timezones } = (await beckon.health()).checks;
  const found = (one: { readonly ok: boolean } | undefined, otherwise: State): State => (one?.ok ? 'ok' : otherwise);
  return [
    { group: 'runtime', check: 'node', state: 'ok', message: process.version },
    { group: 'runtime', check: 'time zones', state: found(timezones, 'fail'), message: timezones?.detail ?? 'unknown' },
    { group: 'storage', check: 'database', state: found(database, 'fail'), message: database?.detail ?? 'unknown' },
    {
      group: 'storage',
      check: 'schema',
      state: found(schema, 'fail'),
      message: schema?.ok ? schema.detail : `${schema?.detail ?? 'unknown'}: beckon migrate up`,
    },
    { group: 'work', check: 'worker', state: found(worker, 'warn'), message: worker?.detail ?? 'nobody does the work' },
    publicUrl === undefined
      ? {
          group: 'network',
          check: 'publicUrl',
          state: 'warn',
          message: 'is not set: links of tracked mails and reports of providers need it',
        }
      : { group: 'network', check: 'publicUrl', state: 'ok', message: publicUrl },
  ];
};

const providerFindings = async (beckon: Beckon, scope: Scope, place: string): Promise<Finding[]> => {
  const findings: Finding[] = [];
  for (const channel of CHANNELS) {
    const of = { settings: beckon.settings, scope };
    const states = (await providerStates(of, channel)).filter(({ configured }) => configured);
    const check = `${place} ${channel}`;
    if (states.length === 0)
      findings.push({ group: 'providers', check, state: 'warn', message: 'no provider: a send of prod answers 412' });
    const { openCircuits } = await beckon.sends.health(scope, channel);
    for (const { provider, code, until } of openCircuits)
      findings.push({
        group: 'providers',
        check,
        state: 'warn',
        message: `${provider} gets no messages until ${until.toISOString()}: ${code}`,
      });
    for (const { provider, provenAt } of states)
      findings.push(
        provenAt === null
          ? { group: 'providers', check, state: 'warn', message: `never proven: beckon providers test ${provider}` }
          : { group: 'providers', check, state: 'ok', message: `${provider}, proven ${provenAt.toISOString()}` },
      );
  }
  return findings;
};

const domainFindings = async ({ emailDomains }: Beckon, scope: Scope, place: string): Promise<Finding[]> => {
  const findings: Finding[] = [];
  for (const { id, domain } of (await emailDomains.list(scope, { limit: 200 })).data) {
    const { status, checks } = await emailDomains.verify(scope, id);
    for (const { name, state, message } of checks) {
      // What no server answered is judged by what was known before.
      const isFine = state === 'found' || (name === 'ownership' && state === 'unknown' && status === 'verified');
      const otherwise: State = name === 'ownership' ? 'fail' : 'warn';
      findings.push({
        group: 'domains',
        check: `${place} ${domain} ${name}`,
        state: isFine ? 'ok' : otherwise,
        message,
      });
    }
  }
  return findings;
};

/** `beckon doctor`: what is wrong with this service, and what would help. */
export const register: Register = (program, context) => {
  outputOptions(databaseOptions(program.command('doctor').description('say what is wrong, and what would help')), [
    'table',
    'json',
    'ndjson',
    'yaml',
  ])
    .addHelpText(
      'after',
      '\nLooks the records of sending domains up. Exits 0 when nothing failed, 1 when something did.',
    )
    .action(
      act(context, async (flags) => {
        const { withBeckon } = await import('../session.ts');
        const findings = await withBeckon(context, flags, async (beckon, { publicUrl }) => {
          const all = await serviceFindings(beckon, publicUrl);
          for (const { id: projectId, orgId, name } of await beckon.tenancy.listProjects()) {
            const scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
            all.push(...(await providerFindings(beckon, scope, name)), ...(await domainFindings(beckon, scope, name)));
          }
          return all;
        });
        createOutput(context.io, flags).rows(findings, COLUMNS);
        return findings.some(({ state }) => state === 'fail') ? EXIT.negative : undefined;
      }),
    );
};
