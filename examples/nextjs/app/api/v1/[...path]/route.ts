import { nextHandlers } from '@beckon/http/next';
import { opened } from '../../../../lib/beckon.ts';

// The HTTP API of Beckon, below the origin of the application.
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = nextHandlers(async () => (await opened()).service);
