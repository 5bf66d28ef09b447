import { describe, expect, it } from 'vitest';
import { deploy } from '../../kill/deployment.ts';
import { untilDrained } from '../../kill/drained.ts';
import { unevenRuns } from './apply-fault.ts';
import { missingOfPatroni, startPatroni } from './patroni.ts';
import { startProxy } from './proxy.ts';
import { countingWorkflow, runFault, serveOn } from './stand.ts';

describe('a server that works on PostgreSQL under Patroni', () => {
  it('the server continues with the new Patroni leader after the old one dies', async (context) => {
    const missing = missingOfPatroni();
    if (missing !== null) {
      console.log(`fault database patroni postgres: skipped: ${missing}`);
      // skip: system packages that `.ci/run` installs.
      return context.skip();
    }
    const patroni = await startPatroni();
    const closing = [patroni.remove];
    try {
      const port = Number(new URL(patroni.url()).port);
      const [proxy, direct] = [await startProxy(port), await startProxy(port)];
      closing.push(proxy.close, direct.close);
      // As a load balancer that ends sessions of a former leader.
      patroni.onLeader((next) => {
        for (const each of [proxy, direct]) {
          each.lead(next);
          each.drop('end');
        }
      });
      const server = direct.through(patroni.url());
      const deployment = await deploy('postgres', [countingWorkflow], { server, seenAs: proxy.through });
      closing.push(deployment.remove);
      const stand = await serveOn(deployment);
      const start = performance.now();
      let outageMs = 0;
      await runFault(stand, 'patroni failover', async () => {
        await patroni.killLeader();
        outageMs = performance.now() - start;
      });
      console.log(`fault database patroni postgres: nobody led for about ${Math.round(outageMs / 1_000)} s`);
      await untilDrained(deployment, stand.server);
      expect(await unevenRuns(deployment)).toEqual([]);
      expect(await stand.server.stop()).toBe(0);
    } finally {
      for (const close of closing.reverse()) await close();
    }
  });
});
