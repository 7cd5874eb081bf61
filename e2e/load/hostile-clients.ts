/**
 * `node hostile-clients.ts <S3 URL> <Admin URL> <seconds> [kind…]`: clients without credentials that attack a gateway from many addresses of
 * 127.0.0.0/8. Prints how many connections each kind made. A process of its own, so that they do not delay what a test measures.
 */
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const [s3Url = '', adminUrl = '', seconds = '1', ...wanted] = process.argv.slice(2)

/** Connections of one kind that are open at a time, each from one of these many addresses. */
interface Kind {
  readonly connections: number
  readonly addresses: number
  /** Starts the client's part of a new connection. */
  run(socket: Socket): void
  /** Default: the S3 listener. */
  readonly isAdmin?: true
}

const smallGet = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
const pipelined = Buffer.from(smallGet.repeat(500_000))
const everyMs = 1000

/** Sends one byte a second, however long the server allows it. */
function drip(socket: Socket): void {
  const timer = setInterval(() => socket.write('x'), everyMs)
  socket.once('close', () => clearInterval(timer))
}

function thenDrip(head: string): Kind['run'] {
  return (socket) => {
    socket.resume().write(head)
    drip(socket)
  }
}

/** Uploads whose bodies arrive slowly: refused ones, and forms that are not signed yet. */
const slowPut = `PUT /films/a HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n`
const slowForm = `POST /films HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 60000\r\n\r\n--b\r\nContent-Disposition: form-data; name="key"\r\n\r\n`
const upgrade = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'

/** Requests whose answers are more than the buffers of the system, in pieces that fit into the queue of a connection. */
const unreadRequestsMax = 50_000
const unreadPiece = 8

const unread = (target: string): Kind['run'] => {
  const requests = Buffer.from(`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(unreadPiece))
  return (socket) => {
    socket.pause()
    let left = unreadRequestsMax
    const write = (): void => {
      if (left > 0 && socket.writable) socket.write(requests, () => setImmediate(write))
      left -= unreadPiece
    }
    write()
  }
}

const kinds: Readonly<Record<string, Kind>> = {
  pipelined: { connections: 8, addresses: 4, run: (socket) => void socket.resume().write(pipelined) },
  pipelinedAdmin: { connections: 4, addresses: 4, isAdmin: true, run: (socket) => void socket.resume().write(pipelined) },
  // Never closes its side, whatever the server does.
  halfClosed: { connections: 3000, addresses: 20, run: (socket) => void socket.resume().write('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ') },
  slowHeads: { connections: 1500, addresses: 10, run: thenDrip('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ') },
  slowForms: { connections: 600, addresses: 10, run: thenDrip(slowForm) },
  slowBodies: { connections: 300, addresses: 10, run: thenDrip(slowPut) },
  unread: { connections: 50, addresses: 10, run: unread('/') },
  unreadAdmin: { connections: 20, addresses: 5, isAdmin: true, run: unread('/api/v1/buckets') },
  upgrades: { connections: 20, addresses: 4, run: (socket) => void socket.resume().write(upgrade + smallGet.repeat(1000)) },
  upgradesAdmin: {
    connections: 10,
    addresses: 4,
    isAdmin: true,
    run: (socket) => void socket.resume().write(upgrade + smallGet.repeat(1000)),
  },
  garbage: { connections: 20, addresses: 4, run: (socket) => void socket.resume().write(Buffer.alloc(200_000, 'garbage \r\n')) },
}

/** Most new connections of one kind a second: Node accepts one in each turn of the event loop. */
const perSecondMax = 200
const batchMs = 50

async function attack({ connections, addresses, run, isAdmin }: Kind, at: number, untilMs: number) {
  const { hostname, port } = new URL(isAdmin ? adminUrl : s3Url)
  const all = new Set<Socket>()
  /** Connections that the server has not closed. The others stay in `all`: the client never closes its side. */
  const open = new Set<Socket>()
  let made = 0
  while (performance.now() < untilMs) {
    const missing = Math.min(connections - open.size, 3 * connections - all.size, (perSecondMax * batchMs) / 1000)
    for (let n = 0; n < missing; n++) {
      const localAddress = `127.1.${at + 1}.${(made % addresses) + 1}`
      const socket = connect({ host: hostname, port: Number(port), localAddress, allowHalfOpen: true })
      all.add(socket)
      open.add(socket)
      socket.on('error', () => {}).once('end', () => open.delete(socket))
      socket.once('close', () => {
        all.delete(socket)
        open.delete(socket)
      })
      socket.once('connect', () => run(socket))
      made++
    }
    await sleep(batchMs)
  }
  for (const socket of all) socket.destroy()
  return made
}

const untilMs = performance.now() + Number(seconds) * 1000
const names = wanted.length > 0 ? wanted : Object.keys(kinds)
const made = await Promise.all(
  names.map(async (name, at) => {
    const kind = kinds[name]
    if (kind === undefined) throw new Error(`there is no attack ${name}; there are ${Object.keys(kinds).join(', ')}`)
    return [name, await attack(kind, at, untilMs)] as const
  }),
)
process.stdout.write(`${JSON.stringify(Object.fromEntries(made))}\n`)
