// Leases free loopback ports to devnets, and reports when a port of an existing devnet is taken.
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

export const LOOPBACK = '127.0.0.1'

/** Below the range for outgoing connections, so that the port of a stopped devnet usually stays free. */
const PORT_FIRST = 12_000
/** A lock, the chain, 50 providers and some that other services use. */
const BLOCK_PORTS = 80
const BLOCK_COUNT = 250
const ATTEMPTS_MAX = 50

/** Another process listens on a port of this devnet. */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError'
  readonly code = 'port_taken'

  constructor({ port, purpose }: { readonly port: number; readonly purpose: string }, options?: ErrorOptions) {
    super(`port ${port} of ${purpose} is taken by another process; stop it, or start the devnet in a new folder`, options)
  }
}

/**
 * Ports of one devnet: no other devnet on this machine gets them before the lease ends, also while nothing listens on
 * them (a stopped provider). The first port of a block is the lock: its owner listens on it, and the end of the process frees it.
 */
export interface PortLease extends AsyncDisposable {
  /** A port that this lease did not give out before. */
  next(): Promise<number>
}

/**
 * @param known the ports that the devnet already has; their block is preferred, and they are not given out again
 * @throws Error when other devnets or services hold all blocks that were tried
 */
export async function leasePorts(known: readonly number[] = []): Promise<PortLease> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const block = attempt === 0 && known[0] !== undefined ? blockOf(known[0]) : Math.floor(Math.random() * BLOCK_COUNT)
    const first = PORT_FIRST + block * BLOCK_PORTS
    const lock = await listenOn(first)
    if (lock) return holdBlock(first, lock, known)
  }
  throw new Error(`no free block of ports among ${ATTEMPTS_MAX} tried from ${PORT_FIRST} to ${PORT_FIRST + BLOCK_COUNT * BLOCK_PORTS - 1}`)
}

/** Returns any block for a port outside of all blocks. */
const blockOf = (port: number): number => Math.abs(Math.floor((port - PORT_FIRST) / BLOCK_PORTS)) % BLOCK_COUNT

function holdBlock(first: number, lock: Server, known: readonly number[]): PortLease {
  let last = first
  return {
    async next() {
      while (last < first + BLOCK_PORTS - 1) {
        last++
        if (!known.includes(last) && (await isFree(last))) return last
      }
      throw new Error(`the ports from ${first} to ${last} are in use; start the devnet with fewer providers`)
    },
    [Symbol.asyncDispose]: () => closeServer(lock),
  }
}

/** @throws PortTakenError */
export async function requireFreePort(port: number, purpose: string): Promise<void> {
  if (!(await isFree(port))) throw new PortTakenError({ port, purpose })
}

async function isFree(port: number): Promise<boolean> {
  const server = await listenOn(port)
  if (!server) return false
  await closeServer(server)
  return true
}

/** Returns undefined for any error of listen (taken, not permitted). */
async function listenOn(port: number): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy())
  try {
    server.listen(port, LOOPBACK)
    await once(server, 'listening')
    return server
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}

async function closeServer(server: Server): Promise<void> {
  server.close()
  await once(server, 'close')
}
