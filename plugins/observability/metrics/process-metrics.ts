import { collectDefaultMetrics, Registry } from 'prom-client'

let registry: Registry | undefined

/** CPU, memory, garbage collection and event loop of this process. One for all pages: its observers cannot be taken off again. */
export function processMetrics(): Registry {
  if (registry === undefined) {
    registry = new Registry()
    collectDefaultMetrics({ register: registry })
  }
  return registry
}
