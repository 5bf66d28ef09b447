/** What became of a mail about a mail. */
export type BounceResult = {
  /**
   * `ignored`: it says nothing of a mail that bounced or was complained about, or nothing new. `unknown`: of no message of
   * this service. `early`: its message is still being handed over; bring it again in a minute.
   */
  readonly result: 'applied' | 'ignored' | 'early' | 'unknown';
  /**
   * What the mail says: the address takes no mail (`bounced`), the mail was not delivered (`failed`), it was not delivered
   * to everyone that the address leads to (`partial`), or someone complained.
   */
  readonly reported: 'bounced' | 'failed' | 'partial' | 'complained' | null;
  readonly messageId: string | null;
};

/**
 * Bounces and complaints that come by mail. The message is known by its return path, never by the words of the mail. A
 * bounce lists the address only if it says that the address is dead; any other makes the message `failed`.
 */
export type BouncesApi = {
  /**
   * Takes one mail: a delivery status notification or a complaint in the abuse reporting format. Doing it again does
   * nothing. Throws OVERLOADED, and what the database throws.
   *
   * @param mail as it came, headers first
   * @param options `recipient`: the address that it came to; without it, what the servers on its way noted
   */
  ingest(mail: Uint8Array, options?: { readonly recipient?: string | undefined }): Promise<BounceResult>;
};
