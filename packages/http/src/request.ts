/** What the pipeline sees of a request, whichever face it came through. */
export type RequestView = {
  readonly method: string;
  /** As on the wire: still percent-encoded, without query. */
  readonly path: string;
  /** Without the question mark; empty when there is none. */
  readonly query: string;
  /** Who is at the other end of the connection, as the system writes addresses; undefined: nobody knows. Throws nothing. */
  address(): string | undefined;
  /** `name` in lower case; values of a repeated header are joined by a comma. Throws nothing. */
  header(name: string): string | undefined;
  /**
   * Reads the body: all of it, or until `enoughBytes` came. A second call goes on from there and answers with everything
   * from the beginning; after the whole body nothing is read again.
   *
   * @param maxBytes the same in both calls
   * @param enoughBytes more may be answered, where it came in the same packet. Default: the whole body
   * @throws BeckonError PAYLOAD_TOO_LARGE once more than `maxBytes` came; DEADLINE_EXCEEDED when it is not complete
   * after `withinMs`; VALIDATION_ERROR when it broke off
   */
  readBody(maxBytes: number, withinMs: number, enoughBytes?: number): Promise<Uint8Array>;
};
