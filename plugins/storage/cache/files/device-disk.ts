import { Memory } from '../../checksums/web-assembly.ts'
import { type Disk, directUnit } from './disk.ts'

/** 1 MiB. */
const windowPages = 16

/**
 * The disk, read past the page cache of the system: a fault of memory, cable or controller can leave wrong bytes in the page cache for as
 * long as they are read. For rare reads: all share one window of memory, in turn. Where the system has no such reads, an ordinary read.
 */
export function deviceDisk(disk: Disk): Disk {
  const direct = new Set<number>()
  /** Begins at a page of the system, as direct reads need. */
  let window: Uint8Array | undefined
  let lastRead: Promise<unknown> = Promise.resolve()

  function inTurn<T>(read: (window: Uint8Array) => Promise<T>): Promise<T> {
    const reading = lastRead.then(() => {
      window ??= new Uint8Array(new Memory({ initial: windowPages, maximum: windowPages, shared: true }).buffer)
      return read(window)
    })
    lastRead = reading.catch(() => {})
    return reading
  }

  /** A disk may need larger units. */
  async function takesUnits(descriptor: number): Promise<boolean> {
    try {
      await inTurn((window) => disk.readSome(descriptor, window.subarray(0, directUnit), 0))
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EINVAL') return false
      await disk.close(descriptor)
      throw error
    }
  }

  return {
    ...disk,
    async open(path) {
      const descriptor = await disk.openDirect(path)
      if (descriptor === undefined) return disk.open(path)
      if (await takesUnits(descriptor)) {
        direct.add(descriptor)
        return descriptor
      }
      await disk.close(descriptor)
      return disk.open(path)
    },
    read: (descriptor, buffer, position) =>
      direct.has(descriptor)
        ? inTurn((window) => readAligned(disk, window, { descriptor, buffer, position }))
        : disk.read(descriptor, buffer, position),
    close(descriptor) {
      direct.delete(descriptor)
      return disk.close(descriptor)
    },
  }
}

interface Wanted {
  readonly descriptor: number
  readonly buffer: Uint8Array
  readonly position: number
}

async function readAligned(disk: Disk, window: Uint8Array, { descriptor, buffer, position }: Wanted): Promise<number> {
  let done = 0
  while (done < buffer.length) {
    const skipped = (position + done) % directUnit
    const wanted = Math.min(window.length, Math.ceil((skipped + buffer.length - done) / directUnit) * directUnit)
    const count = await disk.readSome(descriptor, window.subarray(0, wanted), position + done - skipped)
    const bytes = window.subarray(skipped, Math.min(count, skipped + buffer.length - done))
    if (bytes.length === 0) break
    buffer.set(bytes, done)
    done += bytes.length
  }
  return done
}
