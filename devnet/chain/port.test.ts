import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { expect, test } from 'vitest'
import { LOOPBACK, leasePorts, type PortLease } from './port.ts'

async function take(lease: PortLease, count: number): Promise<number[]> {
  const ports: number[] = []
  for (let index = 0; index < count; index++) ports.push(await lease.next())
  return ports
}

async function listen(port: number): Promise<Server> {
  const server = createServer().listen(port, LOOPBACK)
  await once(server, 'listening')
  return server
}

test('two devnets never get the same port, also while nothing listens on it', async () => {
  await using one = await leasePorts()
  const ports = await take(one, 6)
  // Asks for the same block: a devnet that continues in a directory prefers the block of its ports.
  await using other = await leasePorts(ports)
  const others = await take(other, 70)
  expect(others.filter((port) => ports.includes(port))).toEqual([])
  expect(new Set([...ports, ...others]).size).toBe(76)
})

test('a devnet that continues gets new ports of its own block, without those that it has', async () => {
  const first = await leasePorts()
  const ports = await take(first, 3)
  await first[Symbol.asyncDispose]()
  await using again = await leasePorts(ports)
  expect(await take(again, 2)).toEqual([Math.max(...ports) + 1, Math.max(...ports) + 2])
})

test('a port that another service uses is left out', async () => {
  await using lease = await leasePorts()
  const port = await lease.next()
  const server = await listen(port + 1)
  expect(await lease.next()).toBe(port + 2)
  server.close()
})

test('a block without a free port says so', async () => {
  await using lease = await leasePorts()
  await expect(take(lease, 80)).rejects.toThrow(/the ports from \d+ to \d+ are in use; start the devnet with fewer providers/)
})
