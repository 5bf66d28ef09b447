/**
 * What keeps browsers and caches from making more of an answer than it is. What a secret key reads belongs in no cache; a
 * route's own headers go over these. Source: OWASP, REST Security; reliability, API8.
 */
export const addSecurity = (headers: Record<string, string>, isPublic: boolean): void => {
  headers['X-Content-Type-Options'] = 'nosniff';
  if (!isPublic) headers['Cache-Control'] = 'no-store';
};
