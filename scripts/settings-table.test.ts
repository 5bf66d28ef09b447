import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../packages/cli/src/config.ts';
import { GATES as CLI_GATES, KEYS } from '../packages/cli/src/settings.ts';
import { GOOGLE_TOKEN_URIS } from '../packages/core/src/delivery/transports/fcm/settings.ts';
import { SMTP_PORTS } from '../packages/core/src/delivery/transports/smtp/settings.ts';
import { LINK_DAYS } from '../packages/core/src/messaging/email/tracking-tokens.ts';
import { CALLS_PER_MINUTE, INGEST_BURST, INGEST_PER_SECOND } from '../packages/core/src/platform/limits/call-rates.ts';
import { GATES } from '../packages/core/src/platform/plans/plan.ts';
import { settingsTable } from './settings-table.ts';

/** One column of the table, by key. */
const column = (at: number): ReadonlyMap<string, string> =>
  new Map(
    settingsTable()
      .trimEnd()
      .split('\n')
      .slice(2)
      .map((line) => line.split(' | '))
      .map((cells) => [(cells[0] ?? '').replaceAll(/[|`\s]/g, ''), (cells[at] ?? '').replaceAll('`', '')]),
  );

describe('configuration table', () => {
  it('the configuration table has a row for every key, in the order of the schema', () => {
    expect([...column(0).keys()]).toEqual(KEYS);
    expect(column(1).get('smtp.allowedPorts')).toBe('BECKON_SMTP_ALLOWED_PORTS');
  });

  it('the configuration table shows the actual defaults', () => {
    const folder = mkdtempSync(join(tmpdir(), 'beckon-defaults-'));
    const config = loadConfig({ env: {}, cwd: folder }, {}, 'fresh');
    rmSync(folder, { recursive: true });
    const defaults = column(2);
    expect({
      host: defaults.get('host'),
      port: Number(defaults.get('port')),
      trustedProxies: Number(defaults.get('trustedProxies')),
      shutdownTimeoutMs: Number.parseInt(defaults.get('shutdownTimeout') ?? '', 10) * 1_000,
      logFormat: defaults.get('log.format')?.split(';')[0],
      logLevel: defaults.get('log.level'),
      durability: defaults.get('durability'),
      isPathTrusted: defaults.get('sqlite.trustPath') === 'true',
      preparedNames: defaults.get('postgres.preparedNames') === 'true',
      migrate: defaults.get('migrate'),
      isWorkerEnabled: defaults.get('worker.enabled') === 'true',
      dataDir: join(folder, defaults.get('dataDir')?.split(';')[0] ?? ''),
      masterKey: defaults.get('masterKey') === 'none' ? undefined : '',
      publicUrl: defaults.get('publicUrl') === 'none' ? undefined : '',
      metrics: defaults.get('metrics.port') === 'none' ? null : '',
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
    expect(defaults.get('limits.callsPerMinute')).toBe(String(CALLS_PER_MINUTE));
    expect(defaults.get('limits.ingestPerSecond')).toBe(String(INGEST_PER_SECOND));
    expect(defaults.get('limits.ingestBurst')).toBe(String(INGEST_BURST));
    expect(defaults.get('email.linkDays')).toBe(String(LINK_DAYS));
    expect(defaults.get('smtp.allowedPorts')).toBe(SMTP_PORTS.join());
    expect(defaults.get('fcm.tokenUris')).toBe(GOOGLE_TOKEN_URIS.join());
  });

  it('the configuration table names existing plan features only', () => {
    expect(CLI_GATES).toEqual(GATES);
  });
});
