/** True if the path of a URL is `basePath` or below it. Throws nothing. */
export const isBelow = (basePath: string, url: string): boolean => {
  const path = url.split('?', 1)[0] ?? '';
  return path === basePath || path.startsWith(`${basePath}/`);
};

/** The error for a request whose body was read before the adapter could read it. */
export const consumedBody = (adapter: string, parser: string): TypeError =>
  new TypeError(`The request body was already read. Register ${adapter} before ${parser}.`);
