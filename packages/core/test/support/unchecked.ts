/** A value as a program without types would pass it: it fits every parameter, so that a test can see it refused. */
export const unchecked = (value: unknown): never => value as never;
