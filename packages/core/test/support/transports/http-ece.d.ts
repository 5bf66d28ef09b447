declare module 'http_ece' {
  /** Undoes one content encoding. Throws when the key or the content is wrong. */
  export function decrypt(
    content: Buffer,
    options: {
      readonly version: 'aes128gcm';
      readonly privateKey: import('node:crypto').ECDH;
      /** base64url */
      readonly authSecret: string;
    },
  ): Buffer;
}
