// Stores a provider's pieces on disk: arriving, parked (complete but in no data set), held (in a data set).
import {
  createWriteStream,
  type Dirent,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createPieceCommitment, readPieceCid } from './piece-commitment.ts'
import { rootOf } from './piece-names.ts'

/** The body is larger than the limit. */
export class PieceTooLargeError extends Error {
  override readonly name = 'PieceTooLargeError'
}

export interface ReceivedBytes {
  /** Unset for an empty body. */
  readonly pieceCid: string | undefined
  readonly size: number
}

export interface StoredPiece {
  readonly pieceCid: string
  readonly path: string
  readonly size: number
}

export interface PieceStore {
  /** Streams the bytes to the file of an arrival and computes the piece CID. @throws PieceTooLargeError */
  receive(arrival: string, source: Readable, limits: ReceiveLimits): Promise<ReceivedBytes>
  /** Makes an arrival a parked piece, which `find` returns after `delayMs`. */
  park(arrival: string, pieceCid: string, delayMs: number): void
  discardArrival(arrival: string): void
  /** Accepts a CID of either version. Undefined until the delay of `park` has passed. */
  find(pieceCid: string): StoredPiece | undefined
  /** Moves a piece from parked to held: a data set contains it. */
  claim(pieceCid: string): void
  /** Deletes the piece; `removeHeld` keeps a copy that was parked again. */
  remove(pieceCid: string): void
  removeHeld(pieceCid: string): void
  listHeld(): string[]
  /** Parked pieces older than `ageMs`. */
  listUnclaimed(ageMs: number): string[]
}

interface ReceiveLimits {
  readonly bytesMax: number
  readonly onBytes: (count: number) => void
}

export function openPieceStore(dir: string): PieceStore {
  const folders = { arriving: join(dir, 'arriving'), parked: join(dir, 'parked'), held: join(dir, 'held') }
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true })
  const visibleAtMs = new Map<string, number>()
  /** Version 2 CID by root in hex. */
  const names = new Map<string, string>()
  for (const folder of [folders.parked, folders.held]) for (const name of readdirSync(folder)) remember(name)

  function remember(pieceCid: string): void {
    const root = rootOf(pieceCid)
    if (root) names.set(root, pieceCid)
  }

  function locate(pieceCid: string): { path: string; stats: Stats } | undefined {
    for (const folder of [folders.held, folders.parked]) {
      const path = join(folder, pieceCid)
      const stats = statSync(path, { throwIfNoEntry: false })
      if (stats) return { path, stats }
    }
    return undefined
  }

  return {
    async receive(arrival, source, { bytesMax, onBytes }) {
      const commitment = createPieceCommitment()
      let size = 0
      const count = async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          size += chunk.length
          onBytes(chunk.length)
          if (size > bytesMax) throw new PieceTooLargeError(`more than ${bytesMax} bytes`)
          commitment.update(chunk)
          yield chunk
        }
      }
      await pipeline(source, count, createWriteStream(join(folders.arriving, arrival)))
      return { size, pieceCid: size > 0 ? commitment.pieceCid() : undefined }
    },
    park(arrival, pieceCid, delayMs) {
      if (!locate(pieceCid)) visibleAtMs.set(pieceCid, Date.now() + delayMs)
      const path = join(folders.parked, pieceCid)
      renameSync(join(folders.arriving, arrival), path)
      // The age for `listUnclaimed` begins with parking.
      utimesSync(path, new Date(), new Date())
      remember(pieceCid)
    },
    discardArrival(arrival) {
      rmSync(join(folders.arriving, arrival), { force: true })
    },
    find(text) {
      // Version 1 does not contain the padding, so it matches any piece with that root.
      const pieceCid = readPieceCid(text) ? text : names.get(rootOf(text) ?? '')
      if (pieceCid === undefined || (visibleAtMs.get(pieceCid) ?? 0) > Date.now()) return undefined
      const found = locate(pieceCid)
      return found && { pieceCid, path: found.path, size: found.stats.size }
    },
    claim(pieceCid) {
      const parked = join(folders.parked, pieceCid)
      if (existsSync(parked)) renameSync(parked, join(folders.held, pieceCid))
    },
    remove(pieceCid) {
      for (const folder of [folders.parked, folders.held]) rmSync(join(folder, pieceCid), { force: true })
    },
    removeHeld(pieceCid) {
      rmSync(join(folders.held, pieceCid), { force: true })
    },
    listHeld: () => readdirSync(folders.held),
    listUnclaimed: (ageMs) => listOlder(folders.parked, ageMs),
  }
}

function listOlder(folder: string, ageMs: number): string[] {
  const isOld = (entry: Dirent) => {
    const stats = statSync(join(folder, entry.name), { throwIfNoEntry: false })
    return stats !== undefined && Date.now() - stats.mtimeMs >= ageMs
  }
  return readdirSync(folder, { withFileTypes: true })
    .filter(isOld)
    .map((entry) => entry.name)
}
