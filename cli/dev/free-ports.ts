import { once } from 'node:events'
import { createServer } from 'node:net'
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
