import { TimeoutError, type Transport } from 'viem'
import { within } from '#kernel'

/**
 * Ends each question to a node after `ms`, its repetitions included. Viem's own timeout ends with the headers of an answer: a node that
 * then sends nothing more would hold the asker for ever, and so would one that accepts a websocket and never opens it.
 */
export function boundedTransport(transport: Transport, ms: number): Transport {
  return (options) => {
    const made = transport(options)
    const request: typeof made.request = (question, requestOptions) =>
      within(ms, made.request(question, requestOptions), () => {
        // Without the URL, which may carry a token (I-10).
        throw new TimeoutError({ body: { method: question.method }, url: '' })
      })
    return { ...made, request }
  }
}

/** `fetch` that ends after `ms`, the body included: a late answer must not keep its connection. */
export function boundedFetch(ms: number): typeof fetch {
  return (input, init) => {
    const late = AbortSignal.timeout(ms)
    return fetch(input, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, late]) : late })
  }
}
