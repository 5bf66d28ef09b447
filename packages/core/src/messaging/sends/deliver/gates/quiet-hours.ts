import { zoneClock } from '../../../../foundation/zone-clock.ts';
import type { QuietHours } from '../../../settings/schema.ts';
import { PASS, type Verdict } from '../../verdict.ts';
import type { ReadyMessage } from '../message.ts';
import type { Gate } from './gate.ts';
import { quietUntil, windowOf } from './quiet-window.ts';

const REASON = 'quiet_hours';
const MINUTE_MS = 60_000;

/** What quiet hours are evaluated from. */
export type QuietFacts = Pick<ReadyMessage, 'send' | 'settings' | 'timezone'> & {
  readonly row: Pick<ReadyMessage['row'], 'channel' | 'deferredAt'>;
};

const settingOf = ({ row, settings }: QuietFacts): QuietHours => settings.channels[row.channel].quietHours;
const isExempt = ({ send }: QuietFacts, { exemptClasses }: QuietHours): boolean =>
  exemptClasses.some((one) => one === send?.class);

/** End of quiet hours for this message; null: not quiet, or the zone is unknown. */
const untilOf = (message: QuietFacts, setting: QuietHours, now: Date): Date | null => {
  const window = windowOf(setting);
  if (window === null || message.timezone === null || isExempt(message, setting)) return null;
  const zone = zoneClock(message.timezone);
  const until = zone && quietUntil(window, zone, now.getTime());
  return until === null ? null : new Date(until);
};

/** Wall clock time in a zone, such as `2026-03-08T03:00:00`; null: unknown zone. */
const localTimeIn = (timezone: string | null, now: Date): string | null => {
  const zone = timezone === null ? null : zoneClock(timezone);
  if (!zone) return null;
  return new Date(now.getTime() + zone.spanAt(now.getTime()).offsetMs).toISOString().slice(0, 19);
};

const windowText = ({ start, end, days }: QuietHours): string =>
  `${start}-${end}${days.length === 0 ? '' : ` ${days.join(' ')}`}`;

/** The verdict of quiet hours for a message at a time. Pure; throws nothing. */
export const evaluateQuietHours = (message: QuietFacts, now: Date): Verdict => {
  const setting = settingOf(message);
  const until = untilOf(message, setting, now);
  if (until === null) return PASS;
  const lastMs = (message.row.deferredAt ?? now).getTime() + setting.maxDeferMinutes * MINUTE_MS;
  return setting.behavior === 'suppress' || until.getTime() > lastMs
    ? { verdict: 'suppressed', reason: REASON }
    : { verdict: 'deferred', until, reason: REASON };
};

/**
 * Defers a message during quiet hours of its zone. Suppresses it if the setting says so or if it would wait longer than
 * allowed. Without a known zone it passes. Source: semantics, Quiet hours.
 */
export const quietHours: Gate = {
  name: 'quiet_hours',
  evaluate: (message, { now }) => evaluateQuietHours(message, now),
  evidence: (message, { now }) => {
    const setting = settingOf(message);
    if (!setting.enabled) return { enabled: false };
    const { timezone } = message;
    return {
      enabled: true,
      window: windowText(setting),
      timezone,
      localTime: localTimeIn(timezone, now),
      exempt: isExempt(message, setting),
      until: untilOf(message, setting, now)?.toISOString() ?? null,
    };
  },
  stopped: ({ status, reason }) => status === 'suppressed' && reason === REASON,
  storedEvidence: ({ deferredAt }) => ({ deferredAt: deferredAt?.toISOString() ?? null }),
};
