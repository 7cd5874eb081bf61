/** Ctrl-C for commands that run until it. */
export interface Interrupt extends Disposable {
  /** Aborts at the first Ctrl-C; a second one ends the process. */
  readonly signal: AbortSignal
}

export function watchInterrupt(): Interrupt {
  const aborter = new AbortController()
  const stop = () => aborter.abort()
  process.once('SIGINT', stop)
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
