/**
 * A value as a program without types would pass it: it is assignable to every parameter, so that a test can see it
 * rejected.
 */
export const unchecked = (value: unknown): never => value as never;
