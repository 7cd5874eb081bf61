import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { CommandError } from '#kernel'

/** Throws CommandError naming each flag whose port on 127.0.0.1 is taken. Port 0 is always free. */
export async function requireFreePorts(ports: Readonly<Record<string, number>>): Promise<void> {
  const taken: string[] = []
  for (const [flag, port] of Object.entries(ports)) if (!(await isFree(port))) taken.push(`${flag} ${port}`)
  if (taken.length === 0) return
  const flags = taken.map((entry) => entry.split(' ')[0])
  throw new CommandError(
    `in use by another program on 127.0.0.1: ${taken.join(', ')}; choose others with ${flags.join(' and ')} (0 takes any free port)`,
  )
}

interface DevnetInfo {
  readonly info: {
    readonly lotus: { readonly host_rpc_url: string }
    readonly pdp_sps: readonly { readonly provider_id: number; readonly pdp_service_url: string }[]
  }
}

/** The ports that the devnet in the directory keeps from its first start, checked before its chain starts. Throws CommandError naming each taken one. */
export async function requireDevnetPorts(dir: string): Promise<void> {
  const path = join(dir, 'devnet-info.json')
  if (!existsSync(path)) return
  const { lotus, pdp_sps: providers } = (JSON.parse(readFileSync(path, 'utf8')) as DevnetInfo).info
  const ports = new Map(providers.map(({ provider_id: id, pdp_service_url: url }) => [`provider ${id}`, portOf(url)]))
  // After a killed run this file remains, and the next start ends its chain.
  if (!existsSync(join(dir, 'chain', 'anvil.pid'))) ports.set('chain', portOf(lotus.host_rpc_url))
  const taken: string[] = []
  for (const [owner, port] of ports) if (!(await isFree(port))) taken.push(`${port} of the ${owner}`)
  if (taken.length === 0) return
  throw new CommandError(
    `in use by another program on 127.0.0.1: ${taken.join(', ')}; stop it, delete the data with --fresh, or choose another --dir`,
  )
}

const portOf = (url: string): number => Number(new URL(url).port)

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
    throw error
  } finally {
    server.close()
  }
}
