/** Schemes of URLs that run what is written in them. Source: security rules of templates. */
const RUNNING = /^(?:javascript|vbscript):/i;
/** A page inside a URL: nothing that a button opens. */
const INLINE = /^data:/i;
const SCHEME = /^[a-z][a-z0-9+.-]*:[^\s\p{Cc}]+$/iu;

/** A text as browsers read it where a URL is wanted. Source: WHATWG URL, basic URL parser (1 to 3). */
const asUrl = (text: string): string => text.replace(/\p{Cc}/gu, '').trimStart();

/** Tells whether a text, taken for a URL, would run code where it is opened. Throws nothing. */
export const runsCode = (text: string): boolean => text.includes(':') && RUNNING.test(asUrl(text));

/** A URL that a device may open: http, https or an app's own scheme. Throws nothing. */
export const isLink = (text: string): boolean => SCHEME.test(text) && !runsCode(text) && !INLINE.test(text);

/** A URL that a device may load an image from. Throws nothing. */
export const isImage = (text: string): boolean => {
  const url = URL.parse(text);
  return url?.protocol === 'https:' || url?.protocol === 'http:';
};
