import type { IncomingMessage } from 'node:http'
import { kernelErrors } from '#kernel'

/** The bytes of a request as they arrive. A connection that ends early is the client's doing, not a fault of the service. */
export async function* uploadBody(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    // The stream is left whole when storage refuses early, so that the connection stays usable for the answer.
    yield* request.iterator({ destroyOnReturn: false })
  } catch (cause) {
    throw kernelErrors.invalid_request({ message: 'The connection ended inside the body.', cause })
  }
}
