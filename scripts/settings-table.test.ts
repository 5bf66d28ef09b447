import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../packages/cli/src/config.ts';
import { KEYS, GATES as SAID_GATES } from '../packages/cli/src/settings.ts';
import { GOOGLE_TOKEN_URIS } from '../packages/core/src/delivery/transports/fcm/settings.ts';
import { SMTP_PORTS } from '../packages/core/src/delivery/transports/smtp/settings.ts';
import { LINK_DAYS } from '../packages/core/src/messaging/email/tracking-tokens.ts';
import { CALLS_PER_MINUTE, INGEST_BURST, INGEST_PER_SECOND } from '../packages/core/src/platform/limits/call-rates.ts';
import { GATES } from '../packages/core/src/platform/plans/plan.ts';
import { settingsTable } from './settings-table.ts';

/** What the table has in one column, by key. */
const column = (at: number): ReadonlyMap<string, string> =>
  new Map(
    settingsTable()
      .trimEnd()
      .split('\n')
      .slice(2)
      .map((line) => line.split(' | '))
      .map((cells) => [(cells[0] ?? '').replaceAll(/[|`\s]/g, ''), (cells[at] ?? '').replaceAll('`', '')]),
  );

describe('the table of the configuration', () => {
  it('has a row for every key, in the order of the schema', () => {
    expect([...column(0).keys()]).toEqual(KEYS);
    expect(column(1).get('smtp.allowedPorts')).toBe('BECKON_SMTP_ALLOWED_PORTS');
  });

  it('tells the defaults that hold', () => {
    const folder = mkdtempSync(join(tmpdir(), 'beckon-defaults-'));
    const config = loadConfig({ env: {}, cwd: folder }, {}, 'fresh');
    rmSync(folder, { recursive: true });
    const said = column(2);
    expect({
      host: said.get('host'),
      port: Number(said.get('port')),
      trustedProxies: Number(said.get('trustedProxies')),
      shutdownTimeoutMs: Number.parseInt(said.get('shutdownTimeout') ?? '', 10) * 1_000,
      logFormat: said.get('log.format')?.split(';')[0],
      logLevel: said.get('log.level'),
      durability: said.get('durability'),
      isPathTrusted: said.get('sqlite.trustPath') === 'true',
      preparedNames: said.get('postgres.preparedNames') === 'true',
      migrate: said.get('migrate'),
      isWorkerEnabled: said.get('worker.enabled') === 'true',
      dataDir: join(folder, said.get('dataDir')?.split(';')[0] ?? ''),
      masterKey: said.get('masterKey') === 'none' ? undefined : '',
      publicUrl: said.get('publicUrl') === 'none' ? undefined : '',
      metrics: said.get('metrics.port') === 'none' ? null : '',
    }).toEqual({
      host: config.host,
      port: config.port,
      trustedProxies: config.trustedProxies,
      shutdownTimeoutMs: config.shutdownTimeoutMs,
      logFormat: config.logFormat,
      logLevel: config.logLevel,
      durability: config.durability,
      isPathTrusted: config.isPathTrusted,
      preparedNames: config.preparedNames,
      migrate: config.migrate,
      isWorkerEnabled: config.isWorkerEnabled,
      dataDir: config.dataDir,
      masterKey: config.masterKey,
      publicUrl: config.publicUrl,
      metrics: config.metrics,
    });
    expect(said.get('limits.callsPerMinute')).toBe(String(CALLS_PER_MINUTE));
    expect(said.get('limits.ingestPerSecond')).toBe(String(INGEST_PER_SECOND));
    expect(said.get('limits.ingestBurst')).toBe(String(INGEST_BURST));
    expect(said.get('email.linkDays')).toBe(String(LINK_DAYS));
    expect(said.get('smtp.allowedPorts')).toBe(SMTP_PORTS.join());
    expect(said.get('fcm.tokenUris')).toBe(GOOGLE_TOKEN_URIS.join());
  });

  it('takes the gates of plans that there are', () => {
    expect(SAID_GATES).toEqual(GATES);
  });
});
