import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorld, type World } from '../../../test/support/webhooks/world.ts';
import { virtualClock } from '../../foundation/clock.ts';

type Line = { readonly message: string; readonly fields: Readonly<Record<string, unknown>> };

describe('the log of runs', () => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  let world: World;
  let beckon: World['beckon'];
  let scope: World['scope'];
  let lines: Line[];

  beforeEach(async () => {
    lines = [];
    world = await openWorld(clock, () => ({ status: 200 }));
    await world.beckon.close();
    const keep = (fields: Line['fields'], message: string) => void lines.push({ fields, message });
    beckon = await world.open(world.masterKey, { log: { info: keep, warn: keep, error: keep } });
    scope = await beckon.tenancy.scope({ ...world.scope });
  });
  afterEach(() => world.close());

  const said = (message: string) => lines.flatMap((line) => (line.message === message ? [line.fields] : []));
  const workflow = (eventType: string, to: string) =>
    beckon.workflows.create(scope, {
      ...{ name: eventType, description: null, isActive: true, trigger: { eventType } },
      steps: [{ type: 'send_email', config: { subject: 's', text: 't', to, onError: 'stop' } }],
    });
  const happen = async (eventType: string, userId = 'user-canary') => {
    const { id } = await beckon.events.track(scope, { module: 'm', eventType, userId, properties: { x: 'canary' } });
    await beckon.worker.drain();
    return id;
  };

  it('started and failed runs are logged by ids and code, without data of the user', async () => {
    const good = await workflow('good', 'canary@example.com');
    const bad = await workflow('bad', '{{trait.missing}}');
    const [first, second] = [await happen('good'), await happen('bad')];
    const runs = (await beckon.runs.list(scope)).data;
    const idOf = (workflowId: string) => runs.find((run) => run.workflowId === workflowId)?.id;
    const { orgId, projectId } = scope;
    expect(said('a run was started')).toEqual([
      { orgId, projectId, runId: idOf(good.id), workflowId: good.id, eventId: first },
      { orgId, projectId, runId: idOf(bad.id), workflowId: bad.id, eventId: second },
    ]);
    expect(said('a run failed')).toEqual([
      {
        orgId,
        projectId,
        runId: idOf(bad.id),
        workflowId: bad.id,
        eventId: second,
        path: '0',
        code: expect.any(String),
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain('canary');
  });

  it('the log has at most 60 lines a minute and then reports how many runs were omitted', async () => {
    await workflow('good', 'ann@example.com');
    for (let at = 0; at < 70; at += 1)
      await beckon.events.track(scope, { module: 'm', eventType: 'good', userId: `u${at}` });
    await beckon.worker.drain();
    expect(said('a run was started')).toHaveLength(60);
    clock.advance(60_000);
    await happen('good');
    expect(said('a run was started').at(-1)).toMatchObject({ unlogged: 10 });
  });
});
