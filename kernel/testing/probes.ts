import { type ProbeReached, probeChannel } from '../process/probe.ts'

interface ProbeWatch extends Disposable {
  /** Resolves when a run reaches the probe, from now on. Rejects after ten seconds with the names that were reached instead. */
  reached(name: string): Promise<void>
  /** Holds every run that reaches the probe from now on, until the release. */
  holdAt(name: string): ProbeHold
}

interface ProbeHold extends Disposable {
  /** Resolves when the first run is held at the probe. */
  readonly reached: Promise<void>
  release(): void
}

const reachedMs = 10_000

/** Watches the probes of this process. Dispose it, so that no run stays held after the test. */
export function watchProbes(): ProbeWatch {
  const seen: string[] = []
  const arrivals = new Map<string, Set<() => void>>()
  const holds = new Map<string, Set<Promise<void>>>()
  const open = new Set<ProbeHold>()
  const listen = (message: unknown) => {
    const probe = message as ProbeReached
    seen.push(probe.name)
    const holding = [...(holds.get(probe.name) ?? [])]
    // Another watcher may hold the same run.
    if (holding.length > 0) probe.held = Promise.all([probe.held, ...holding]).then(() => {})
    for (const arrive of arrivals.get(probe.name) ?? []) arrive()
    arrivals.delete(probe.name)
  }
  probeChannel.subscribe(listen)

  const reached = (name: string): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(() => reject(new Error(`no run reached '${name}' in ${reachedMs} ms; reached: ${seen.join(', ')}`)), reachedMs)
    addTo(arrivals, name, () => {
      clearTimeout(timer)
      resolve()
    })
    return promise
  }

  return {
    reached,
    holdAt(name) {
      const gate = Promise.withResolvers<void>()
      addTo(holds, name, gate.promise)
      const release = () => {
        holds.get(name)?.delete(gate.promise)
        gate.resolve()
      }
      const arrived = reached(name)
      // Many tests do not await `reached`.
      arrived.catch(() => {})
      const hold = { reached: arrived, release, [Symbol.dispose]: release }
      open.add(hold)
      return hold
    },
    [Symbol.dispose]() {
      probeChannel.unsubscribe(listen)
      for (const hold of open) hold.release()
      for (const arrive of [...arrivals.values()].flatMap((waiting) => [...waiting])) arrive()
    },
  }
}

function addTo<T>(map: Map<string, Set<T>>, name: string, item: T): void {
  const items = map.get(name) ?? new Set()
  map.set(name, items.add(item))
}
