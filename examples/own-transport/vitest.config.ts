import { defineConfig } from 'vitest/config';

// In a checkout Beckon is TypeScript; a program that installed it needs no conditions.
const conditions = ['@beckon/source', 'module', 'node', 'development|production'];
const source = { resolve: { conditions }, ssr: { resolve: { conditions } } };

export default defineConfig({ ...source, test: { include: ['examples/own-transport/*.test.ts'] } });
