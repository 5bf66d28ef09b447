import { opened } from '../../../../lib/beckon.ts';

// The interface of the service, below the origin of the application.
const answer = async (request: Request): Promise<Response> => (await opened()).handler.fetch(request);

export {
  answer as DELETE,
  answer as GET,
  answer as HEAD,
  answer as OPTIONS,
  answer as PATCH,
  answer as POST,
  answer as PUT,
};
