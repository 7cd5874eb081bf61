/** A terminal, npm and the process that starts svc on the pinned Node all pass on one key press, so signals this close together count as one. */
const echoMs = 500

/** Tells the first signal from echoes of it, and from a later one. */
export function countSignals(): () => 'first' | 'echo' | 'again' {
  let firstAtMs: number | undefined
  return () => {
    const nowMs = performance.now()
    if (firstAtMs !== undefined) return nowMs - firstAtMs < echoMs ? 'echo' : 'again'
    firstAtMs = nowMs
    return 'first'
  }
}

/** Ctrl-C for commands that run until it. */
export interface Interrupt extends Disposable {
  /** Aborts at the first Ctrl-C; a second one ends the process. */
  readonly signal: AbortSignal
}

export function watchInterrupt(): Interrupt {
  const aborter = new AbortController()
  const next = countSignals()
  const stop = () => {
    if (next() !== 'again') return aborter.abort()
    process.off('SIGINT', stop)
    process.kill(process.pid, 'SIGINT')
  }
  process.on('SIGINT', stop)
  return { signal: aborter.signal, [Symbol.dispose]: () => void process.off('SIGINT', stop) }
}

const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Runs `cleanUp` before a signal ends the process. It must be synchronous. */
export function beforeSignalEnds(cleanUp: () => void): Disposable {
  const off = () => {
    for (const name of endSignals) process.off(name, end)
  }
  const end = (name: NodeJS.Signals) => {
    off()
    cleanUp()
    process.kill(process.pid, name)
  }
  for (const name of endSignals) process.on(name, end)
  return { [Symbol.dispose]: off }
}
