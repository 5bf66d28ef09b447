import type { SmsMessage } from '../../delivery/transports/port.ts';
import { type Template, templateCache } from '../templates/compile.ts';
import { RenderError, type RenderScopes, render } from '../templates/render.ts';
import type { SmsContent } from './schema.ts';
import { smsSize } from './segments.ts';

/** Compiled templates kept in the cache. Chosen: more than texts in use at once. */
const TEMPLATES = 500;

export type SmsRenderInput = {
  readonly messageId: string;
  readonly sendId: string;
  /** Recipient in E.164. */
  readonly to: string;
  readonly statusCallback: string | null;
  readonly scopes: RenderScopes;
};

/** A rendered text message, or why there is none. `too_large`: the text exceeds 65,536 bytes and is not counted. */
export type RenderedSms =
  | { readonly ok: true; readonly message: SmsMessage }
  | { readonly ok: false; readonly reason: 'empty_body' | 'too_large' }
  | { readonly ok: false; readonly reason: 'too_many_segments'; readonly segments: number };

/**
 * Makes the function that renders text messages; pure except for its cache of compiled templates.
 *
 * Values are inserted unescaped. A blank text is `empty_body`, even with media; a text with more segments than the
 * content allows is `too_many_segments`. Nothing is cut. Throws nothing.
 */
export const smsRenderer = (
  compile: (text: string) => Template = templateCache(TEMPLATES),
): ((content: SmsContent, input: SmsRenderInput) => RenderedSms) => {
  const textOf = (content: SmsContent, scopes: RenderScopes): string | null => {
    try {
      return render(compile(content.body ?? ''), scopes, { escapeHtml: false });
    } catch (error) {
      if (error instanceof RenderError) return null;
      throw error;
    }
  };

  return (content, { messageId, sendId, to, statusCallback, scopes }) => {
    const body = textOf(content, scopes);
    if (body === null) return { ok: false, reason: 'too_large' };
    if (body.trim() === '') return { ok: false, reason: 'empty_body' };
    const { segments } = smsSize(body);
    if (segments > content.maxSegments) return { ok: false, reason: 'too_many_segments', segments };
    return {
      ok: true,
      message: {
        messageId,
        sendId,
        to,
        from: content.from ?? null,
        messagingServiceId: content.messagingServiceId ?? null,
        body,
        mediaUrls: content.mediaUrls ?? [],
        statusCallback,
        validitySeconds: content.validitySeconds ?? null,
      },
    };
  };
};
