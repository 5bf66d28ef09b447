import type { EndpointRules } from '../../delivery/transports/web-push/subscription.ts';
import { withoutNulls } from '../../foundation/absent-null.ts';
import type { Clock } from '../../foundation/clock.ts';
import { sendCalls } from '../sends/accept/send-calls.ts';
import type { Submit } from '../sends/accept/submit.ts';
import { noTemplates, withTemplate } from '../sends/accept/template.ts';
import type { DryRun, Send } from '../sends/answers.generated.ts';
import type { TakeReport } from '../sends/track/engagement.ts';
import type { UseTemplate } from '../templates/use.ts';
import type { PushApi, PushAudienceInput, PushInput } from './api.ts';
import { parsePushSend, pushInput } from './body.ts';
import { opens } from './opens.ts';
import { pushTemplate } from './template.ts';

/** Push sends and device reports. */
export const pushEngine = ({
  clock,
  submit,
  useTemplate = noTemplates,
  endpoints,
  report,
}: {
  readonly clock: Clock;
  readonly submit: Submit;
  /** Default: no templates. */
  readonly useTemplate?: UseTemplate | undefined;
  /** Allowed endpoints of browsers; absent: any. */
  readonly endpoints?: EndpointRules | undefined;
  /** Stores a device's report about a message. */
  readonly report: TakeReport;
}): PushApi => {
  const calls = sendCalls<PushInput, PushAudienceInput, Send, DryRun>(async (scope, body, options) => {
    const request = withTemplate(useTemplate, pushTemplate, scope, withoutNulls(pushInput, body), (sent) =>
      parsePushSend(sent, endpoints),
    );
    return submit(scope, request, { ...options, body });
  });
  return { ...calls, ...opens({ clock, report }) };
};
