import type { PushApi } from '../api.ts';
import type { Clock } from '../primitives/clock.ts';
import type { Submit } from '../sending/accept/submit.ts';
import type { TakeReport } from '../sending/track/engagement.ts';
import type { EndpointRules } from '../transports/web-push/subscription.ts';
import { parsePushSend } from './body.ts';
import { opens } from './opens.ts';

export type PushDeps = {
  readonly clock: Clock;
  readonly submit: Submit;
  /** What the endpoints of browsers may be; absent: any. */
  readonly endpoints?: EndpointRules | undefined;
  /** Keeps what a device reports of a message. */
  readonly report: TakeReport;
};

/** Pushes on request, and what devices report of them. */
export const pushEngine = ({ clock, submit, endpoints, report }: PushDeps): PushApi => ({
  send: async (scope, body, options) => submit(scope, parsePushSend(body, endpoints), { ...options, body }),
  ...opens({ clock, report }),
});
