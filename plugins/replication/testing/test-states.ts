import { silentLog } from '#kernel/testing'
import type { BatchStateDeps } from '../states/batch-states.ts'
import { createStates, type States } from '../states/states.ts'

/** The writers of states over `parts`, which a test may replace later. Calls of absent parts do nothing. */
export function statesOver(parts: object): States {
  const absent = new Proxy({}, { get: () => () => undefined })
  const part = <K extends keyof BatchStateDeps>(key: K) =>
    new Proxy({}, { get: (_, name) => Reflect.get(Reflect.get(parts, key) ?? absent, name) }) as BatchStateDeps[K]
  const deps = { clock: part('clock'), pace: part('pace'), schedule: part('schedule'), events: part('events'), log: silentLog }
  return createStates({
    ...deps,
    uploadEvents: part('uploadEvents'),
    contents: part('contents'),
    cached: part('cached'),
    funds: part('funds'),
    committed: part('committed'),
  })
}
