/** Requests to the identity provider: each with a deadline, a bound, and without redirects. */

export const providerLimits = {
  /** A request to the provider, with its answer. */
  requestMs: 10_000,
  answerBytesMax: 256 * 1024,
} as const

/** The provider did not answer as a provider does. */
export class ProviderUnreachable extends Error {
  override readonly name = 'ProviderUnreachable'
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** For the library, which calls it for each request. */
export const boundedFetch: Fetch = async (url, init) => {
  const signal = AbortSignal.any([...(init.signal ? [init.signal] : []), AbortSignal.timeout(providerLimits.requestMs)])
  const { host } = new URL(url)
  try {
    const response = await fetch(url, { ...init, redirect: 'manual', signal })
    const body = await readBounded(response, host)
    return new Response(response.status === 204 ? null : body, { status: response.status, headers: response.headers })
  } catch (cause) {
    if (cause instanceof ProviderUnreachable) throw cause
    throw new ProviderUnreachable(`${host} does not answer`, { cause })
  }
}

async function readBounded(response: Response, host: string): Promise<Buffer<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.length
    // Leaving the loop cancels the body.
    if (size > providerLimits.answerBytesMax)
      throw new ProviderUnreachable(`${host} sends more than ${providerLimits.answerBytesMax} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}
