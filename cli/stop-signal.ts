import { countSignals } from './terminal/interrupt.ts'

const names = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

export interface StopSignal extends Disposable {
  /** Aborts at the first signal. */
  readonly signal: AbortSignal
  /** Resolves with the name of the first signal. */
  readonly received: Promise<NodeJS.Signals>
}

/** The first signal, or the end of the supervisor (`supervise.js`), requests an orderly stop; the second signal calls `beforeForce` and ends the process at once. */
export function watchStopSignals(beforeForce: () => void = () => {}): StopSignal {
  const aborter = new AbortController()
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>()
  const next = countSignals()
  const onSignal = (name: NodeJS.Signals): void => {
    const signal = next()
    if (signal === 'echo') return
    if (signal === 'again') {
      beforeForce()
      process.exit(1)
    }
    aborter.abort(new Error(`stopped by ${name}`))
    resolve(name)
  }
  // Its supervisor may be killed while the program is stopping: that does not force the stop.
  const onSupervisorEnd = (): void => void (aborter.signal.aborted || onSignal('SIGTERM'))
  for (const name of names) process.on(name, onSignal)
  process.on('supervisorEnded', onSupervisorEnd)
  return {
    signal: aborter.signal,
    received: promise,
    [Symbol.dispose]() {
      for (const name of names) process.off(name, onSignal)
      process.off('supervisorEnded', onSupervisorEnd)
    },
  }
}
