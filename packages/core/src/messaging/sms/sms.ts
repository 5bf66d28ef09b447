import type { SmsMessage } from '../../delivery/transports/port.ts';
import { withoutNulls } from '../../foundation/absent-null.ts';
import { phoneNumber } from '../../foundation/phone-number.ts';
import { phoneOf } from '../../people/profiles/view.ts';
import { sendCalls } from '../sends/accept/send-calls.ts';
import type { Submit } from '../sends/accept/submit.ts';
import { noTemplates, withTemplate } from '../sends/accept/template.ts';
import type { DryRun, Send, SmsDryRun, SmsSend } from '../sends/answers.generated.ts';
import type { ChannelPort } from '../sends/channel.ts';
import type { SendRequest } from '../sends/schema.ts';
import { compileTemplate } from '../templates/compile.ts';
import type { UseTemplate } from '../templates/use.ts';
import type { SmsApi, SmsAudienceInput, SmsFacts, SmsInput } from './api.ts';
import { type RenderedSms, smsRenderer } from './render.ts';
import { localisedSms, parseSmsSend, type SmsContent, smsInput, smsTitle } from './schema.ts';
import { smsSize } from './segments.ts';
import { smsTemplate } from './template.ts';

const failureOf = (rendered: Extract<RenderedSms, { ok: false }>, { maxSegments }: SmsContent) => {
  switch (rendered.reason) {
    case 'empty_body':
      return { verdict: 'suppressed', reason: 'empty_body' } as const;
    case 'too_large':
      return {
        verdict: 'failed',
        code: 'too_large',
        message: 'The rendered text is larger than 65,536 bytes.',
      } as const;
    case 'too_many_segments': {
      const message = `The text takes ${rendered.segments} segments; the send allows ${maxSegments}.`;
      return { verdict: 'failed', code: 'too_many_segments', message } as const;
    }
    default:
      return rendered satisfies never;
  }
};

/** The SMS channel. */
export const smsChannel = (renderSms = smsRenderer()): ChannelPort<SmsMessage> => ({
  addressesOf: ({ target: { recipient }, profile }) => {
    const rawNumber = recipient.kind === 'address' ? recipient.address : profile ? phoneOf(profile) : null;
    const address = rawNumber === null ? null : phoneNumber(rawNumber);
    if (address === null) return { none: 'no_address' };
    return [{ address, name: recipient.kind === 'address' ? recipient.name : null, facts: {} }];
  },
  addressKey: (address) => address,
  // Safe: as in `render`.
  localise: (content, locale) => localisedSms(content as SmsContent, locale),
  render: (content, { messageId, sendId, to, statusCallback, scopes }) => {
    // Safe: a request of channel sms has the content that smsContentOf made, and content is immutable.
    const sms = content as SmsContent;
    const rendered = renderSms(sms, { messageId, sendId, to: to.address, statusCallback, scopes });
    return rendered.ok ? { verdict: 'pass', message: rendered.message } : failureOf(rendered, sms);
  },
});

const UNKNOWN: SmsFacts = { segments: null, encoding: null };

/** Length of a text without variables. */
const factsOf = ({ body, localizedBody }: SmsContent): SmsFacts => {
  if (body === undefined || localizedBody !== undefined) return UNKNOWN;
  const { literals, placeholders } = compileTemplate(body);
  return placeholders.length > 0 ? UNKNOWN : smsSize(literals.join(''));
};

/** Length of the first message of a dry run. */
const renderedFacts = (answer: Send | DryRun): SmsFacts => {
  const first = 'dryRun' in answer ? answer.messages.find(({ content }) => content !== null) : undefined;
  const body = first?.content && 'body' in first.content ? first.content.body : null;
  return typeof body === 'string' ? smsSize(body) : UNKNOWN;
};

const requestOf = (body: unknown): SendRequest => {
  const parsed = parseSmsSend(body);
  return { ...parsed, channel: 'sms', title: smsTitle(parsed.content), answer: factsOf(parsed.content) };
};

/** SMS sends. A send is accepted when the promise resolves: its row, and up to 100 messages, are stored. */
export const smsEngine = ({
  sending,
  useTemplate = noTemplates,
}: {
  readonly sending: { readonly submit: Submit };
  /** Default: no templates. */
  readonly useTemplate?: UseTemplate | undefined;
}): SmsApi =>
  sendCalls<SmsInput, SmsAudienceInput, SmsSend, SmsDryRun>(async (scope, body, options) => {
    const request = withTemplate(useTemplate, smsTemplate, scope, withoutNulls(smsInput, body), requestOf);
    // Safe: an answer, also a repeated one, contains the `answer` fields of its request.
    const answer = (await sending.submit(scope, request, { ...options, body })) as SmsSend | SmsDryRun;
    return answer.encoding === null ? { ...answer, ...renderedFacts(answer) } : answer;
  });
