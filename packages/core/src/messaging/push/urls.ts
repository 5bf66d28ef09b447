/** URL schemes that execute their content. Source: security rules of templates. */
const RUNNING = /^(?:javascript|vbscript):/i;
/** An inline document, which a button must not open. */
const INLINE = /^data:/i;
const SCHEME = /^[a-z][a-z0-9+.-]*:[^\s\p{Cc}]+$/iu;

/** A text as browsers parse it as a URL. Source: WHATWG URL, basic URL parser (1 to 3). */
const asUrl = (text: string): string => text.replace(/\p{Cc}/gu, '').trimStart();

/** True if a text opened as a URL would run code. Throws nothing. */
export const runsCode = (text: string): boolean => text.includes(':') && RUNNING.test(asUrl(text));

/** True for a URL that a device may open: http, https or an app's own scheme. Throws nothing. */
export const isLink = (text: string): boolean => SCHEME.test(text) && !runsCode(text) && !INLINE.test(text);

/** True for a URL from which a device may load an image. Throws nothing. */
export const isImage = (text: string): boolean => {
  const url = URL.parse(text);
  return url?.protocol === 'https:' || url?.protocol === 'http:';
};
