import type { PushAction, PushMessage } from '../../delivery/transports/port.ts';
import { compact } from '../../foundation/compact.ts';
import type { ApnsEnvironment, Platform } from '../../foundation/device-platform.ts';
import { type Template, templateCache } from '../templates/compile.ts';
import { MAX_RENDERED_BYTES, RenderError, type RenderScopes, render } from '../templates/render.ts';
import type { PushContent } from './content.ts';
import { isImage, isLink, runsCode } from './urls.ts';

/** Compiled templates kept in the cache. Chosen: a push has up to a dozen. */
const TEMPLATES = 500;

export type PushRenderInput = {
  readonly messageId: string;
  readonly sendId: string;
  readonly platform: Platform;
  readonly token: string;
  readonly apnsEnvironment: ApnsEnvironment | null;
  readonly scopes: RenderScopes;
  readonly now: Date;
};

/**
 * A rendered push, or why there is none. `too_large`: its texts together exceed 65,536 bytes. `unsafe_url`: a value
 * made a URL invalid or executable.
 */
export type RenderedPush =
  | { readonly ok: true; readonly message: PushMessage }
  | { readonly ok: false; readonly reason: 'empty_body' | 'too_large' | 'unsafe_url' };

class UnsafeUrl extends Error {
  override readonly name = 'UnsafeUrl';
}

type Fill = (text: string) => string;

const NO_DATA = {};

const checked = (text: string, isRight: (text: string) => boolean): string => {
  if (isRight(text)) return text;
  throw new UnsafeUrl();
};

/** Renders every string of a value, at any depth; keys stay. */
const fillAll = (value: unknown, fill: Fill): unknown => {
  if (typeof value === 'string') return checked(fill(value), (text) => !runsCode(text));
  if (Array.isArray(value)) return value.map((item) => fillAll(item, fill));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillAll(item, fill)]));
};

/** True if no string of a value has a placeholder, at any depth. */
const isConstant = (value: unknown, compile: (text: string) => Template): boolean => {
  if (typeof value === 'string') return compile(value).placeholders.length === 0;
  return typeof value !== 'object' || value === null || Object.values(value).every((item) => isConstant(item, compile));
};

/** Freezes a value that messages share, so that no recipient changes it for another. */
const shared = (value: unknown): void => {
  if (typeof value !== 'object' || value === null) return;
  for (const item of Object.values(value)) shared(item);
  Object.freeze(value);
};

const linkOf = (text: string | undefined, fill: Fill, isRight: (text: string) => boolean): string | null => {
  const filled = text === undefined ? '' : fill(text).trim();
  return filled === '' ? null : checked(filled, isRight);
};

const actionOf = ({ id, title, url, icon }: NonNullable<PushContent['actions']>[number], fill: Fill): PushAction => {
  const link = linkOf(url, fill, isLink);
  return { id, title: fill(title), ...(link === null ? {} : { url: link }), ...compact({ icon }) };
};

const presence = (text: string | undefined, fill: Fill): string | null => {
  const filled = text === undefined ? '' : fill(text);
  return filled.trim() === '' ? null : filled;
};

/**
 * Makes the function that renders pushes; pure except for its cache of compiled templates.
 *
 * Renders variables in title, body, strings of `data` at any depth, titles and URLs of actions, and the image URL,
 * without escaping. A push that has `title` or `body` and renders both empty is `empty_body`; a push with neither is
 * for the app only and shows nothing. Throws nothing.
 */
export const pushRenderer = (
  compile: (text: string) => Template = templateCache(TEMPLATES),
): ((content: PushContent, input: PushRenderInput) => RenderedPush) => {
  /** Data without placeholders, with its size in bytes: computed once for all messages of a content. */
  const constants = new WeakMap<object, { readonly data: Record<string, unknown>; readonly bytes: number } | null>();

  const push = (content: PushContent, { scopes, ...input }: PushRenderInput): RenderedPush => {
    let left = MAX_RENDERED_BYTES;
    const use = (bytes: number): void => {
      left -= bytes;
      if (left < 0) throw new RenderError();
    };
    const fill: Fill = (text) => {
      const filled = render(compile(text), scopes, { escapeHtml: false });
      use(Buffer.byteLength(filled));
      return filled;
    };
    const dataOf = (template: object): Record<string, unknown> => {
      const cached = constants.get(template);
      if (cached) {
        use(cached.bytes);
        return cached.data;
      }
      const before = left;
      // Safe: an object in, the same keys out.
      const data = fillAll(template, fill) as Record<string, unknown>;
      if (cached === null) return data;
      const isShared = isConstant(template, compile);
      if (isShared) shared(data);
      constants.set(template, isShared ? { data, bytes: before - left } : null);
      return data;
    };
    const title = presence(content.title, fill);
    const body = presence(content.body, fill);
    const isForApp = content.title === undefined && content.body === undefined;
    if (title === null && body === null && !isForApp) return { ok: false, reason: 'empty_body' };
    const { criticalAlert } = content;
    return {
      ok: true,
      message: {
        ...input,
        title,
        body,
        data: dataOf(content.data ?? NO_DATA),
        actions: (content.actions ?? []).map((action) => actionOf(action, fill)),
        criticalAlert: criticalAlert ? { soundName: criticalAlert.soundName, volumeRatio: criticalAlert.volume } : null,
        interruptionLevel: criticalAlert ? 'critical' : (content.interruptionLevel ?? null),
        collapseKey: content.collapseKey ?? null,
        threadId: content.threadId ?? null,
        ttlSeconds: content.ttlSeconds,
        // An invisible push is not urgent, and gateways reject high priority for it; a critical alert is always urgent.
        priority: criticalAlert ? 'high' : (content.priority ?? (isForApp ? 'normal' : 'high')),
        badge: content.badge ?? null,
        sound: content.sound ?? null,
        imageUrl: linkOf(content.imageUrl, fill, isImage),
      },
    };
  };

  return (content, input) => {
    try {
      return push(content, input);
    } catch (error) {
      if (error instanceof RenderError) return { ok: false, reason: 'too_large' };
      if (error instanceof UnsafeUrl) return { ok: false, reason: 'unsafe_url' };
      throw error;
    }
  };
};
