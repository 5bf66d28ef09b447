/**
 * Restricts what browsers and caches do with a response. What a secret key reads belongs in no cache. A route's own
 * headers override these. Source: OWASP, REST Security; reliability, API8.
 */
export const addSecurity = (headers: Record<string, string>, isPublic: boolean): void => {
  headers['X-Content-Type-Options'] = 'nosniff';
  if (!isPublic) headers['Cache-Control'] = 'no-store';
};
