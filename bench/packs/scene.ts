// A gateway and its local devnet, as all measurements of packing start them.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type FundedDevnet, startFundedDevnet } from '../../e2e/fixtures/gateways/funded-devnet.ts'
import { devnetSettings, type Gateway, type GatewayOptions, startGateway } from '../bench-server.ts'
import { waitForCount } from '../stored-objects.ts'

export const copies = 3
export const objectBytes = 4096
/** A few objects have their copies within this time, also on a busy machine. */
export const leastMs = 300_000

export interface Scene {
  readonly network: FundedDevnet
  readonly gateway: Gateway
}

export async function withGateway<T>(dir: string, settings: GatewayOptions['settings'], run: (scene: Scene) => Promise<T>): Promise<T> {
  await using network = await startFundedDevnet({ providers: copies, blockTimeSeconds: 1 })
  await using gateway = await startGateway(dir, {
    settings: {
      ...devnetSettings(network, copies),
      ...settings,
    },
  })
  return await run({ network, gateway })
}

/** Reads one count in the database file, which costs the gateway no CPU. */
export function openCount({ dir }: Gateway, sql: string): (() => number) & Disposable {
  const database = new DatabaseSync(join(dir, 'db', 'svc.db'), { readOnly: true })
  const count = database.prepare(sql)
  return Object.assign(() => Number(count.get()?.n), { [Symbol.dispose]: () => database.close() })
}

/** Waits until this many contents with versions are stored. */
export async function waitForStored(gateway: Gateway, wanted: number, withinMs: number): Promise<void> {
  using stored = openCount(gateway, "select count(*) as n from contents where ref_count > 0 and store_state = 'stored'")
  await waitForCount(stored, wanted, { withinMs, what: 'objects were stored' })
}
