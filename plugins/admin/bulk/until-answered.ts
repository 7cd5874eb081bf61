import { kernelErrors } from '#kernel/system'

interface Answer {
  readonly raw: { readonly closed: boolean; once(event: 'close', listener: () => void): unknown }
}

/** Aborts when the answer was sent, which the listener does at the deadline of the request, or when the client has left. */
export function untilAnswered({ raw }: Answer): AbortSignal {
  const answered = new AbortController()
  const end = () => answered.abort(kernelErrors.deadline_exceeded())
  if (raw.closed) end()
  else raw.once('close', end)
  return answered.signal
}
