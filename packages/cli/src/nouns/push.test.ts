import { createHandler } from '@beckon/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RealCli, realCli } from '../../test/support/real.ts';

describe('beckon geofences', () => {
  let cli: RealCli;
  let remote: RealCli['run'];
  beforeAll(async () => {
    cli = await realCli();
    const { orgId, projectId } = cli.scope;
    const grants = [{ orgId, projectId }];
    const { secret } = await cli.beckon.tenancy.createKey({ kind: 'secret', environment: 'test', grants });
    const handler = createHandler(cli.beckon);
    remote = (argv) =>
      cli.run([...argv, '--url', 'https://beckon.example.com'], {
        env: { BECKON_API_KEY: secret },
        fetch: (url, init) => handler.fetch(new Request(url, init)),
      });
  });
  afterAll(() => cli.close());

  const local: RealCli['run'] = (argv, options) => cli.run([...argv, '--env', 'test'], options);

  it.each(['local', 'remote'])('a geofence is created, listed and deleted by its name, in %s mode', async (mode) => {
    const run = mode === 'local' ? local : remote;
    const place = ['--name', 'Shop', '--lat', '52.52', '--lng', '13.405', '--radius', '200', '--on', 'entered'];
    const created = await run(['geofences', 'create', ...place]);
    expect([created.code, created.out]).toEqual([
      0,
      expect.stringMatching(/^Created geofence Shop \([0-9a-f-]{36}\)\.\n$/),
    ]);
    const [, id = ''] = /\(([0-9a-f-]{36})\)/.exec(created.out) ?? [];
    expect((await run(['geofences', 'list'])).out).toBe(
      `ID\tNAME\tLAT\tLNG\tRADIUS\tON\n${id}\tShop\t52.52\t13.405\t200 m\tentered\n`,
    );
    const { data } = JSON.parse((await run(['geofences', 'list', '--json'])).out);
    expect(data).toMatchObject([{ id, radiusMeters: 200, transitions: ['entered'] }]);
    expect((await run(['geofences', 'delete', 'Shop'])).out).toBe('Deleted geofence Shop.\n');
    expect((await run(['geofences', 'delete', 'Shop'])).code).toBe(1);
  });

  it('a list reports if there are more rows than its limit', async () => {
    for (const name of ['A', 'B'])
      await cli.beckon.geofences.create(cli.scope, { name, lat: 1, lng: 2, radiusMeters: 100 });
    const { out, err } = await local(['geofences', 'list', '--limit', '1']);
    expect(out.trimEnd().split('\n')).toHaveLength(2);
    expect(err).toBe('There are more: pass --limit 4.\n');
  });

  it('a missing required flag, an invalid number and an invalid choice exit 2', async () => {
    const place = ['--name', 'Shop', '--lng', '13.405', '--radius', '200'];
    expect((await local(['geofences', 'create', ...place])).code).toBe(2);
    expect((await local(['geofences', 'create', ...place, '--lat', 'north'])).err).toContain('Pass a number.');
    const wrong = await local(['geofences', 'create', ...place, '--lat', '1', '--on', 'passed']);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('entered, exited, dwelled')]);
  });

  it('a value that the schema rejects exits 5 and names its field', async () => {
    const { code, err } = await local([
      'geofences',
      'create',
      '--name',
      'x',
      '--lat',
      '1',
      '--lng',
      '2',
      '--radius',
      '1',
    ]);
    expect([code, err]).toEqual([5, expect.stringContaining('`radiusMeters`: ')]);
  });

  it('`--help` shows own flags, then the inherited ones in one line, then examples, within 80 columns', async () => {
    const { out } = await cli.run(['geofences', 'create', '--help']);
    expect(out).toBe(`Create a geofence

Usage: beckon geofences create --name <text> --lat <degrees> --lng <degrees>
       --radius <metres> [options]

Options:
  --name <text>          Name
  --lat <degrees>        Latitude of the center
  --lng <degrees>        Longitude of the center
  --radius <metres>      Radius, from 100 to 100000
  --on <transitions...>  Transitions (entered, exited or dwelled; default: all)
  --env <name>           Environment (prod or test; default: BECKON_ENV)

Global options: --org --project --url --api-key-file -c -d --db -o --json -q

Examples:
  $ beckon geofences create --name Shop --lat 52.52 --lng 13.4 --radius 200 \\
      --env test
`);
  });
});
