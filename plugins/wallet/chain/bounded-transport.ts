import { TimeoutError, type Transport } from 'viem'
import { within } from '#kernel'

/**
 * Limits each request to a node to `ms`, retries included. Viem's own timeout ends when the response headers arrive: a node that then stops
 * sending, or that accepts a websocket and never opens it, would block the caller forever.
 */
export function boundedTransport(transport: Transport, ms: number): Transport {
  return (options) => {
    const inner = transport(options)
    const request: typeof inner.request = (call, requestOptions) =>
      within(ms, inner.request(call, requestOptions), () => {
        // Leaves out the URL, which may contain a token (I-10).
        throw new TimeoutError({ body: { method: call.method }, url: '' })
      })
    return { ...inner, request }
  }
}

/** `fetch` with a timeout that includes the body, so that a late response does not hold its connection. */
export function boundedFetch(ms: number): typeof fetch {
  return (input, init) => {
    const timeout = AbortSignal.timeout(ms)
    return fetch(input, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, timeout]) : timeout })
  }
}
