import type { IncomingMessage } from 'node:http'
import { kernelErrors } from '#kernel/system'

/** The bytes of a request as they arrive. A connection that ends early is a client error. */
export async function* uploadBody(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    // When storage refuses early the stream stays open, so that the connection can carry the answer.
    yield* request.iterator({ destroyOnReturn: false })
  } catch (cause) {
    throw kernelErrors.invalid_request({ message: 'The connection ended inside the body.', cause })
  }
}
