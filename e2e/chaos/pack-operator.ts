/** An operator who changes the packing of the bucket, packs what is stored, seals and compacts, while the gateway is killed. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { LiveGateway } from './live-gateway.ts'
import type { Random } from './random.ts'

interface PackOperator {
  /** Number of answered requests, by name. */
  readonly answered: ReadonlyMap<string, number>
  act(): Promise<void>
}

const pauseMs = { min: 100, max: 600 }

export function createPackOperator({
  gateway,
  bucket,
  random,
}: {
  readonly gateway: LiveGateway
  readonly bucket: string
  readonly random: Random
}): PackOperator {
  const answered = new Map<string, number>()
  const count = (name: string) => void answered.set(name, (answered.get(name) ?? 0) + 1)
  const call = (method: string, path: string, json?: object) => gateway.process.call(method, path, json && { json })
  const actions = {
    'packing on': () => call('PUT', '/api/v1/packs/policy', { bucket, packing: 'small' }),
    'packing off': () => call('PUT', '/api/v1/packs/policy', { bucket, packing: 'off' }),
    'pack stored': () => call('POST', '/api/v1/packs/stored', { bucket }),
    seal: () => call('POST', '/api/v1/packs/seal', { bucket }),
    async compact() {
      const { json } = await call('GET', `/api/v1/packs?bucket=${bucket}`)
      const ids = (json?.packs ?? []).map(({ id }: { readonly id: number }) => id)
      return ids.length === 0 ? { status: 204 } : call('POST', `/api/v1/packs/${random.pick(ids)}/compact`)
    },
  }
  const names = Object.keys(actions) as (keyof typeof actions)[]
  return {
    answered,
    async act() {
      await sleep(pauseMs.min + random.below(pauseMs.max - pauseMs.min))
      const name = random.pick(names)
      try {
        const { status } = await actions[name]()
        count(status < 300 ? name : `${name} refused`)
      } catch {
        // The gateway was killed during the request. Its effect is checked at the end, like that of any other.
        count(`${name} without answer`)
      }
    },
  }
}
