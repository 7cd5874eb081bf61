// Other S3 servers that take part in a run: their address, their keys, and a bucket that is removed afterwards.
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { BenchServer, S3Credentials } from './bench-server.ts'
import { sendRequest } from './s3-calls.ts'

/** A server that checks signatures, with a bucket for this run. */
export interface S3Target extends BenchServer {
  readonly user: S3Credentials
  readonly bucket: string
}

/**
 * Opens the S3 server of `name=http://ACCESS:SECRET@127.0.0.1:PORT` with a bucket of its own.
 * Only this machine's servers take part: over a network the network would be measured.
 * @throws RangeError for another form, Error when the server refuses the bucket
 */
export async function openPeer(text: string): Promise<S3Target> {
  const { label, port, user } = parsePeer(text)
  const target = { label, port, pid: pidListeningOn(port), user, bucket: `svc-bench-${randomBytes(6).toString('hex')}` }
  await sendRequest(target, { method: 'PUT', url: `/${target.bucket}` })
  return { ...target, [Symbol.asyncDispose]: () => removeBucket(target) }
}

export function parsePeer(text: string): { readonly label: string; readonly port: number; readonly user: S3Credentials } {
  const [, label, address] = /^([\w.-]+)=(.+)$/.exec(text) ?? []
  const url = address === undefined ? null : URL.parse(address)
  const isComplete =
    url?.protocol === 'http:' && url.hostname === '127.0.0.1' && url.port !== '' && url.username !== '' && url.password !== ''
  if (!label || !isComplete)
    throw new RangeError(`--peer needs name=http://ACCESS_KEY:SECRET_KEY@127.0.0.1:PORT, not ${JSON.stringify(text)}`)
  const user = { accessKey: decodeURIComponent(url.username), secretKey: decodeURIComponent(url.password) }
  return { label, port: Number(url.port), user }
}

type Peer = Omit<S3Target, typeof Symbol.asyncDispose>

async function removeBucket(target: Peer): Promise<void> {
  for (;;) {
    const { body } = await sendRequest(target, { method: 'GET', url: `/${target.bucket}?list-type=2&max-keys=1000` })
    const keys = [...body.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key)
    if (keys.length === 0) break
    for (const key of keys) await sendRequest(target, { method: 'DELETE', url: `/${target.bucket}/${key}` })
  }
  await sendRequest(target, { method: 'DELETE', url: `/${target.bucket}` })
}

/** Process that listens on a port of this machine. Linux only; undefined elsewhere and for processes of other users. */
export function pidListeningOn(port: number): number | undefined {
  if (process.platform !== 'linux') return undefined
  const inodes = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((path) => listeningInodes(path, port)))
  const pids = listOrNone('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).find((pid) => socketsOf(pid).some((socket) => inodes.has(socket)))
}

/** Columns of the table: number, local address, remote address, state, …, inode. */
function listeningInodes(path: string, port: number): string[] {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0')
  const rows = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(1) : []
  return rows
    .map((row) => row.trim().split(/\s+/))
    .flatMap(([, local, , state, , , , , , inode]) => (local?.endsWith(`:${hexPort}`) && state === '0A' && inode ? [inode] : []))
}

function socketsOf(pid: number): string[] {
  const dir = `/proc/${pid}/fd`
  return listOrNone(dir).flatMap((fd) => /^socket:\[(\d+)\]$/.exec(linkOrNone(`${dir}/${fd}`))?.[1] ?? [])
}

/** The process may have ended, or belong to another user. */
function listOrNone(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

/** The file may be closed by now. */
function linkOrNone(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
