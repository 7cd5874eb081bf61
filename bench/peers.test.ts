import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { parsePeer, pidListeningOn } from './peers.ts'

test('a peer is a name, keys and a port of this machine', () => {
  expect(parsePeer('minio=http://root:pass%20word@127.0.0.1:9000')).toEqual({
    label: 'minio',
    port: 9000,
    user: { accessKey: 'root', secretKey: 'pass word' },
  })
})

test.for([
  'http://root:password@127.0.0.1:9000',
  'minio=http://127.0.0.1:9000',
  'minio=http://root@127.0.0.1:9000',
  'minio=http://root:password@127.0.0.1',
  'minio=https://root:password@127.0.0.1:9000',
  'minio=http://root:password@storage.example:9000',
  'minio=',
])('%s is refused with the form that is needed', (text) => {
  expect(() => parsePeer(text)).toThrow(/--peer needs name=http:/)
})

test.runIf(process.platform === 'linux')('the process that listens on a port is found', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  expect(pidListeningOn(port)).toBe(process.pid)
  server.close()
  await once(server, 'close')
  expect(pidListeningOn(port)).toBeUndefined()
})
