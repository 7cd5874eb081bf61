import { type Disk, realDisk } from '../cache/files/disk.ts'

/** Takes the path of writes past the page cache also where the temporary directory has none: its direct writes are those of any file. */
export const directDisk: Disk = { ...realDisk, createDirect: (path) => realDisk.create(path) }
