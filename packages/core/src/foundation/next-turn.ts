/** Resolves once the event loop has looked at everything else that waits for it. Throws nothing. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
