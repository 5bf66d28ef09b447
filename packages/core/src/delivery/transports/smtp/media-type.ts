const COMPOSITE = /^(?:message|multipart)\//i;

/**
 * False for types of mails and of parts: such a file may not be encoded, so it would go out with bytes and lines that no
 * relay has to take. Throws nothing. Source: RFC 2046, 5.1 and 5.2.1.
 */
export const isFileType = (contentType: string): boolean => !COMPOSITE.test(contentType);
