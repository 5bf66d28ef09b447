export type KeyKind = 'public' | 'secret';
