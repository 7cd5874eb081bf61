// Finds free loopback ports, and reports when a port of an existing devnet is taken.
import { once } from 'node:events'
import { createServer } from 'node:net'

export const LOOPBACK = '127.0.0.1'

/** Below the range for outgoing connections, so that the port of a stopped devnet usually stays free. */
const PORT_FIRST = 12_000
const PORT_COUNT = 20_000
const ATTEMPTS_MAX = 50

/** Another process listens on a port of this devnet. */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError'
  readonly code = 'port_taken'

  constructor({ port, purpose }: { readonly port: number; readonly purpose: string }, options?: ErrorOptions) {
    super(`port ${port} of ${purpose} is taken by another process; stop it, or start the devnet in a new folder`, options)
  }
}

/** A port without a listener now. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const port = PORT_FIRST + Math.floor(Math.random() * PORT_COUNT)
    if (await isFree(port)) return port
  }
  throw new Error(`no free port among ${ATTEMPTS_MAX} tried from ${PORT_FIRST} to ${PORT_FIRST + PORT_COUNT - 1}`)
}

/** @throws PortTakenError */
export async function requireFreePort(port: number, purpose: string): Promise<void> {
  if (!(await isFree(port))) throw new PortTakenError({ port, purpose })
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, LOOPBACK)
    await once(server, 'listening')
  } catch (error) {
    // Any error of listen (taken, not permitted) excludes the port.
    if (error instanceof Error) return false
    throw error
  }
  server.close()
  await once(server, 'close')
  return true
}
