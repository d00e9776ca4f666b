/** Of one response, in bytes: far above what the longest answer takes. */
const RESPONSE_BYTES = 8 * 1024 * 1024;

/** `fetch` which breaks off a response that is larger than any answer can be, before it fills the memory. */
export async function boundedFetch(
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const response = await fetch(input, init);
  if (response.body === null) return response;
  let bytes = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > RESPONSE_BYTES) controller.error(new ResponseTooLarge());
        else controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(counted, { status, statusText, headers });
}

export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';

  constructor() {
    super(`The response has more than ${RESPONSE_BYTES} bytes.`);
  }
}
