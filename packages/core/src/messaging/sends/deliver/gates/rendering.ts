import { type MessageReason, RENDER_FAILURES } from '../../schema.ts';
import { PASS } from '../../verdict.ts';
import type { Gate } from './gate.ts';

const REASONS: readonly (MessageReason | null)[] = ['empty_body', 'locale_unsupported'];
const CODES: readonly (string | null)[] = RENDER_FAILURES;

/** Stops a message that cannot be rendered or renders to nothing. */
export const rendering: Gate = {
  name: 'rendering',
  evaluate: ({ rendered }) => {
    const result = rendered();
    return result.verdict === 'pass' ? PASS : result;
  },
  evidence: ({ send, profile, choice }) => ({
    hasContent: send !== null,
    hasProfile: profile !== null,
    locale: choice?.locale ?? null,
    localized: choice?.localized ?? null,
    ...(choice === null || choice.abTest === null
      ? {}
      : { abTest: choice.abTest, variant: choice.variant, bucket: choice.bucket }),
  }),
  stopped: ({ status, reason, errorCode }) =>
    (status === 'suppressed' && REASONS.includes(reason)) || (status === 'failed' && CODES.includes(errorCode)),
  storedEvidence: ({ variant }) => (variant === null ? {} : { variant }),
};
