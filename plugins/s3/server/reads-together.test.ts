import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { signedHeaders } from '../testing/signed-request.ts'
import { owner, startTestServer } from '../testing/test-server.ts'

afterEach(() => vi.restoreAllMocks())

/** Asks for an object of an unknown bucket on the only connection of the agent. */
async function ask(port: number, agent: Agent, method: string): Promise<void> {
  const { headers } = signedHeaders(port, { method, url: '/photos/key', user: owner })
  const sent = request({ host: '127.0.0.1', port, agent, method, path: '/photos/key', headers }).end()
  const [answer] = await once(sent, 'response')
  expect(answer.statusCode).toBe(404)
  await once(answer.resume(), 'end')
}

test('GET and HEAD wait for those of other connections; with one connection, and for PUT, nothing waits', async () => {
  await using server = await startTestServer()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  // The first request of a connection waits for its turn, because none has been authenticated.
  await ask(server.port, agent, 'GET')
  // A refused request starts none of its own.
  const endOfTurn = vi.spyOn(globalThis, 'setImmediate')
  for (const method of ['GET', 'HEAD']) await ask(server.port, agent, method)
  expect(endOfTurn).not.toHaveBeenCalled()
  // Node's client sends it on a new connection.
  await ask(server.port, agent, 'PUT')
  endOfTurn.mockClear()
  const other = connect(server.port, '127.0.0.1')
  await once(other, 'connect')
  // Answered after the server knows of the other connection.
  await ask(server.port, agent, 'PUT')
  expect(endOfTurn).not.toHaveBeenCalled()
  for (const method of ['GET', 'HEAD']) await ask(server.port, agent, method)
  expect(endOfTurn).toHaveBeenCalledTimes(2)
  other.destroy()
  agent.destroy()
})
