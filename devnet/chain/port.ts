// Finds loopback ports and says clearly when a remembered one is taken.
import { once } from 'node:events'
import { createServer } from 'node:net'

export const LOOPBACK = '127.0.0.1'

/** Below the range systems hand out for outgoing connections, so that a remembered port stays free. */
const PORT_FIRST = 12_000
const PORT_COUNT = 20_000
const ATTEMPTS_MAX = 50

/** Something else listens on a port this devnet has to have. */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError'
  readonly code = 'port_taken'

  constructor({ port, purpose }: { readonly port: number; readonly purpose: string }, options?: ErrorOptions) {
    super(`port ${port} of ${purpose} is taken by another process; stop it, or start the devnet in a new folder`, options)
  }
}

/** A port nobody listens on right now. */
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
    // Any reason not to listen (taken, not allowed) rules the port out.
    if (error instanceof Error) return false
    throw error
  }
  server.close()
  await once(server, 'close')
  return true
}
