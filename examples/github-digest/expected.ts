// The expected output, computed from the payloads and the bundle alone. It is simple on purpose, and shares no code
// with what it checks.

import type { Reachable } from './devices.ts';
import type { GithubEvent, Traits } from './payloads.ts';

type Step = {
  readonly type: string;
  readonly delayMinutes?: number;
  readonly config: {
    readonly subject?: string;
    readonly text?: string;
    readonly title?: string;
    readonly body?: string;
    readonly data?: Readonly<Record<string, string>>;
    readonly minutes?: number;
    readonly increment?: Readonly<Record<string, number>>;
  };
};

/** The part of a bundle that this example uses. */
export type Bundle = {
  readonly workflows: readonly {
    readonly name: string;
    readonly trigger: { readonly eventType: string; readonly filters?: Readonly<Record<string, string>> };
    readonly steps: readonly Step[];
    readonly isActive: boolean;
  }[];
};

/** Runs of one workflow. A waiting run waits for `waitMinutes`. */
export type ExpectedRuns = { completed: number; waiting: number; waitMinutes: number };

export type Expected = {
  /** By workflow; inactive ones have none. */
  readonly runs: ReadonlyMap<string, ExpectedRuns>;
  /** Emails as `mailKey` writes them. */
  readonly mails: readonly string[];
  /** Pushes as `pushKey` writes them. */
  readonly pushes: readonly string[];
  /** SMS as `textKey` writes them. */
  readonly texts: readonly string[];
  /** Emails to users without an address. */
  readonly suppressed: number;
  /** `userId trait value` for each trait that a workflow counts. */
  readonly counters: readonly string[];
};

/** An email as one string, for comparison. */
export const mailKey = (address: string, subject: unknown, text: unknown): string =>
  `${address}\n${subject}\n\n${text}`;

/** A push as one string, for comparison. */
export const pushKey = (platform: unknown, token: string, title: unknown, body: unknown, data: unknown): string =>
  JSON.stringify([platform, token, title, body, data]);

/** An SMS as one string, for comparison. */
export const textKey = (phone: string, body: unknown): string => `${phone}\n${body}`;

const isStarted = ({ trigger, isActive }: Bundle['workflows'][number], event: GithubEvent): boolean =>
  isActive &&
  trigger.eventType === event.eventType &&
  Object.entries(trigger.filters ?? {}).every(([key, value]) => event.properties[key] === value);

const valueAt = (path: string, scopes: unknown): unknown => {
  let value = scopes;
  for (const key of path.trim().split('.')) {
    // Proof of the cast: an object, read by its own keys, gives unknown values.
    if (typeof value === 'object' && value !== null) value = (value as Record<string, unknown>)[key];
    else return undefined;
  }
  return value;
};

const filled = (template: string, scopes: unknown): string =>
  template.replaceAll(/\{\{(.+?)\}\}/g, (_, path: string) => {
    const value = valueAt(path, scopes);
    return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';
  });

/** Computes runs, messages and counted traits. `senders` are the identified users. */
export const expectedOf = (
  { workflows }: Bundle,
  events: readonly GithubEvent[],
  senders: ReadonlyMap<string, Traits>,
  devices: ReadonlyMap<string, Reachable>,
): Expected => {
  const runs = new Map<string, ExpectedRuns>();
  const mails: string[] = [];
  const pushes: string[] = [];
  const texts: string[] = [];
  const counts = new Map<string, number>();
  let suppressed = 0;

  const message = (type: string, config: Step['config'], { userId, properties }: GithubEvent): void => {
    const trait = userId === undefined ? undefined : senders.get(userId);
    const device = userId === undefined ? undefined : devices.get(userId);
    const fill = (template = ''): string => filled(template, { event: properties, trait, user: { userId } });
    const { subject, text, title, body, data = {} } = config;
    if (type === 'send_push' && device) {
      const filledData = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, fill(value)]));
      pushes.push(pushKey(device.platform, device.address, fill(title), fill(body), filledData));
    }
    if (type === 'send_sms' && trait?.phone) texts.push(textKey(trait.phone, fill(body)));
    if (type === 'send_email' && trait) mails.push(mailKey(trait.email, fill(subject), fill(text)));
    if (type === 'send_email' && !trait) suppressed += 1;
  };

  /** Runs steps until one must wait, and returns for how many minutes; 0: the run completes. */
  const follow = (steps: readonly Step[], event: GithubEvent): number => {
    for (const { type, delayMinutes = 0, config } of steps) {
      const minutes = delayMinutes + (config.minutes ?? 0);
      if (minutes > 0) return minutes;
      for (const [name, by] of Object.entries(config.increment ?? {})) {
        const counter = `${event.userId} ${name}`;
        counts.set(counter, (counts.get(counter) ?? 0) + by);
      }
      message(type, config, event);
    }
    return 0;
  };

  for (const workflow of workflows) {
    const own: ExpectedRuns = { completed: 0, waiting: 0, waitMinutes: 0 };
    runs.set(workflow.name, own);
    for (const event of events.filter((one) => isStarted(workflow, one))) {
      const waitMinutes = follow(workflow.steps, event);
      own[waitMinutes > 0 ? 'waiting' : 'completed'] += 1;
      own.waitMinutes = waitMinutes;
    }
  }
  const counters = [...counts].map(([counter, value]) => `${counter} ${value}`);
  return { runs, mails, pushes, texts, suppressed, counters };
};
