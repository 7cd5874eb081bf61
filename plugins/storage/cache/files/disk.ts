import fs from 'node:fs'

/** The file system calls of the cache; tests pass one that fails. Descriptors are plain numbers to avoid a FileHandle per file. */
export interface Disk {
  /** Creates an empty file, private to the user. Fails with EEXIST when the path exists. */
  create(path: string): Promise<number>
  /**
   * Creates like `create`, for writes past the page cache of the system: positions, lengths and memory are multiples of `directUnit`. Undefined where
   * the system or the file system has no such writes.
   */
  createDirect(path: string): Promise<number | undefined>
  /** Opens an existing file for writing. */
  openToWrite(path: string): Promise<number>
  /** Gives a file another name. Fails with EEXIST when the name exists. */
  link(path: string, name: string): Promise<void>
  open(path: string): Promise<number>
  /** Opens like `open`, for reads past the page cache of the system. Undefined where it has none. */
  openDirect(path: string): Promise<number | undefined>
  rename(path: string, name: string): Promise<void>
  /** Writes all chunks in order, starting at the position. */
  write(descriptor: number, chunks: readonly Uint8Array[], position: number): Promise<void>
  /** Fills the buffer, or less at the end of the file. Returns the bytes read. */
  read(descriptor: number, buffer: Uint8Array, position: number): Promise<number>
  /** One read of the system: may fill a part of the buffer before the end of the file. */
  readSome(descriptor: number, buffer: Uint8Array, position: number): Promise<number>
  /** Length of an open file, and a stamp that changes with every write. Synchronous, because the inode of an open file is in memory. */
  stat(descriptor: number): { readonly length: number; readonly stamp: string }
  /** Makes the bytes and length of a file durable. */
  syncFile(descriptor: number): Promise<void>
  /** Makes the names in a folder durable. */
  syncFolder(descriptor: number): Promise<void>
  close(descriptor: number): Promise<void>
  unlink(path: string): Promise<void>
  /** Keeps an existing one. Fails with ENOENT without its parent: the disk of a path is never taken for granted. */
  makeFolder(path: string): Promise<void>
}

/** The block size of most disks, or a multiple of it. A disk with larger blocks refuses the write with EINVAL. */
export const directUnit = 4096

type Done = (error: NodeJS.ErrnoException | null) => void

const finished = (start: (done: Done) => void): Promise<void> =>
  new Promise((resolve, reject) => start((error) => (error ? reject(error) : resolve())))

const opened = (path: string, flags: string | number): Promise<number> =>
  new Promise((resolve, reject) => fs.open(path, flags, 0o600, (error, descriptor) => (error ? reject(error) : resolve(descriptor))))

export const realDisk: Disk = {
  create: (path) => opened(path, 'wx'),
  async createDirect(path) {
    const { O_CREAT, O_DIRECT, O_EXCL, O_WRONLY } = fs.constants
    // Linux only.
    if (O_DIRECT === undefined) return undefined
    try {
      return await opened(path, O_CREAT | O_EXCL | O_WRONLY | O_DIRECT)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error
      // Some file systems create the file before they refuse the flag.
      await finished((done) => fs.rm(path, { force: true }, done))
      return undefined
    }
  },
  openToWrite: (path) => opened(path, 'r+'),
  link: (path, name) => finished((done) => fs.link(path, name, done)),
  open: (path) => opened(path, 'r'),
  async openDirect(path) {
    const { O_DIRECT, O_RDONLY } = fs.constants
    if (O_DIRECT === undefined) return undefined
    try {
      return await opened(path, O_RDONLY | O_DIRECT)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error
      return undefined
    }
  },
  rename: (path, name) => finished((done) => fs.rename(path, name, done)),
  write: (descriptor, chunks, position) =>
    new Promise((resolve, reject) => {
      const writeFrom = (left: readonly Uint8Array[], at: number): void =>
        fs.writev(descriptor, left, at, (error, written) => {
          if (error) return reject(error)
          // writev may write only a part, for example near a quota.
          const rest = remainder(left, written)
          if (rest.length === 0) resolve()
          else writeFrom(rest, at + written)
        })
      writeFrom(chunks, position)
    }),
  read: (descriptor, buffer, position) =>
    new Promise((resolve, reject) => {
      const readFrom = (offset: number): void =>
        fs.read(descriptor, buffer, offset, buffer.length - offset, position + offset, (error, taken) => {
          if (error) reject(error)
          else if (taken === 0 || offset + taken >= buffer.length) resolve(offset + taken)
          else readFrom(offset + taken)
        })
      readFrom(0)
    }),
  readSome: (descriptor, buffer, position) =>
    new Promise((resolve, reject) =>
      fs.read(descriptor, buffer, 0, buffer.length, position, (error, count) => (error ? reject(error) : resolve(count))),
    ),
  stat: (descriptor) => {
    const { ino, size, ctimeNs } = fs.fstatSync(descriptor, { bigint: true })
    return { length: Number(size), stamp: `${ino}/${size}/${ctimeNs}` }
  },
  syncFile: (descriptor) => finished((done) => fs.fdatasync(descriptor, done)),
  // Not fdatasync: on ext4 it may skip a new name that did not change the folder's length.
  syncFolder: (descriptor) => finished((done) => fs.fsync(descriptor, done)),
  close: (descriptor) => finished((done) => fs.close(descriptor, done)),
  unlink: (path) => finished((done) => fs.unlink(path, done)),
  makeFolder: (path) => finished((done) => fs.mkdir(path, 0o700, (error) => done(error?.code === 'EEXIST' ? null : error))),
}

/** The chunks without their first `taken` bytes. */
function remainder(chunks: readonly Uint8Array[], taken: number): readonly Uint8Array[] {
  let skipped = 0
  for (const [at, chunk] of chunks.entries()) {
    if (skipped + chunk.length > taken) return [chunk.subarray(taken - skipped), ...chunks.slice(at + 1)]
    skipped += chunk.length
  }
  return []
}

const passingCodes: readonly (string | undefined)[] = ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EINTR']

/** An error of the process or of the moment: the file may be sound and readable. */
export const isPassing = (error: unknown): boolean => passingCodes.includes((error as NodeJS.ErrnoException).code)

export const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'
