const COMPOSITE = /^(?:message|multipart)\//i;

/**
 * False for media types of mails and of composite parts: such a file may not be encoded, so it could contain bytes and
 * lines that relays may refuse. Throws nothing. Source: RFC 2046, 5.1 and 5.2.1.
 */
export const isFileType = (contentType: string): boolean => !COMPOSITE.test(contentType);
