import { readAnswer, readApiError, unreachable } from './api-error.ts'
import { apiPath } from './api-path.ts'
import { csrfToken, noteRefusal, withFreshToken } from './call.ts'
import type { Input, Route } from './endpoints.ts'

interface SendOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: (sentBytes: number) => void
}

/** Sends a file as the body of a POST. An XMLHttpRequest, because fetch reports no progress of a body. Throws ApiError. */
export const sendFile = <R extends Route>(
  route: R,
  input: Omit<Input<R>, 'body'>,
  file: Blob,
  options: SendOptions = {},
): Promise<unknown> => withFreshToken(() => sendOnce(route, apiPath(route, input), file, options), { signal: options.signal })

function sendOnce(route: string, path: string, file: Blob, { signal, onProgress }: SendOptions): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const token = csrfToken.value
  const request = new XMLHttpRequest()
  request.open('POST', path)
  request.setRequestHeader('content-type', file.type === '' ? 'application/octet-stream' : file.type)
  if (token !== '') request.setRequestHeader('x-svc-csrf', token)
  request.upload.addEventListener('progress', ({ loaded }) => onProgress?.(loaded))
  request.addEventListener('load', () => {
    const { status, responseText } = request
    if (status < 300) resolve(responseText)
    else reject(noteRefusal(readApiError(status, responseText, request.getResponseHeader('retry-after')), { route, token }))
  })
  request.addEventListener('error', () => reject(unreachable()))
  request.addEventListener('abort', () => reject(new DOMException('The transfer was cancelled.', 'AbortError')))
  signal?.addEventListener('abort', () => request.abort(), { once: true })
  if (signal?.aborted) reject(signal.reason)
  else request.send(file)
  return promise.then(readAnswer)
}
