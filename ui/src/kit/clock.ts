/** One timer for all ages on the page. It stops when the page shows no age. */
const tickMs = 10_000

type Listener = (now: number) => void
const listeners = new Set<Listener>()
let timer: ReturnType<typeof setInterval> | undefined

/** @returns ends it */
export function listenToClock(listener: Listener): () => void {
  listeners.add(listener)
  timer ??= setInterval(tick, tickMs)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function tick(): void {
  const now = Date.now()
  for (const listener of listeners) listener(now)
}
